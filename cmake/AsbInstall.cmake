# What a package contains. Generated files are optional until tools/check_generated has written them.
include(GNUInstallDirs)

install(TARGETS agent-sandbox)
# Where agent-sandbox looks for it: host/tools.cc. Nobody types its name.
install(TARGETS agent-sandbox-init DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/agent-sandbox")

function(asb_install file destination)
  if(EXISTS "${CMAKE_SOURCE_DIR}/${file}")
    install(FILES "${CMAKE_SOURCE_DIR}/${file}" DESTINATION "${destination}" ${ARGN})
  endif()
endfunction()

asb_install(docs/man/agent-sandbox.1 "${CMAKE_INSTALL_MANDIR}/man1")
asb_install(completions/agent-sandbox.bash "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
  RENAME agent-sandbox)
asb_install(completions/_agent-sandbox "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
asb_install(completions/agent-sandbox.fish "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
asb_install(docs/reference/policy.schema.json "${CMAKE_INSTALL_DATADIR}/agent-sandbox")
