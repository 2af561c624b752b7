# How every target of this project is compiled and linked: language, warnings, hardening,
# sanitizers. Third-party headers come from system folders, so the warnings do not reach them.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

set(asb_warnings
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch-enum -Wnon-virtual-dtor -Wold-style-cast
  -Werror -Werror=unused-result)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 reports std::string operator+ inside its own header (GCC PR105651).
  list(APPEND asb_warnings -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # std::stable_sort of libstdc++ 12 uses its own deprecated get_temporary_buffer. g++ still checks.
  list(APPEND asb_warnings -Wno-deprecated-declarations)
endif()

# Sanitizers bring their own checks and replace the functions that FORTIFY would wrap.
set(asb_hardening "")
if(NOT ASB_SANITIZE)
  set(asb_hardening -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero)
  check_cxx_compiler_flag(-fcf-protection=full ASB_HAS_CF_PROTECTION) # x86 only
  if(ASB_HAS_CF_PROTECTION)
    list(APPEND asb_hardening -fcf-protection=full)
  endif()
  # FORTIFY needs an optimiser. -U first: some distributions define it on their own.
  list(APPEND asb_hardening
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")
endif()

if(ASB_SANITIZE)
  add_compile_options(-fsanitize=${ASB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ASB_SANITIZE})
endif()

# No path of the build machine in objects, messages or coverage data.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")

# Colours survive ninja's pipe only when forced; logs (CI) stay plain.
if(NOT DEFINED ENV{CI})
  add_compile_options(-fdiagnostics-color=always)
endif()

function(asb_compile_options target)
  # -iquote, not -I: with -I our src/sys/ would shadow the system's <sys/mount.h>.
  target_compile_options(${target} PRIVATE
    ${asb_warnings} ${asb_hardening} "SHELL:-iquote ${CMAKE_SOURCE_DIR}/src")
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now)
endfunction()

# The launcher starts on hosts that have no new libstdc++; 1.4 ms to start against 2.1 ms dynamic.
# glibc stays dynamic: LDAP and sssd sites need its NSS modules.
function(asb_launcher_link_options target)
  if(NOT ASB_SANITIZE) # sanitizers intercept __cxa_throw, which needs the shared libstdc++
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# The program inside finds no library it could trust. Sanitizers need the shared C library.
function(asb_static_link_options target)
  if(NOT ASB_SANITIZE)
    # Fixed addresses: relocating would cost a tenth of its start.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_link_options(${target} PRIVATE -static -Wl,--gc-sections)
  endif()
endfunction()
