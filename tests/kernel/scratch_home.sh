# Sourced behind lib.sh by tests that need files in the home.
# shellcheck shell=bash disable=SC2154 # lib.sh sets what is used here

# scratch_home BWRAP_OPTION…: starts the test once more in a bubblewrap in which a scratch folder, with
# agent-sandbox installed in it, lies over the home of the password database. Returns only there. Nothing
# real is touched.
scratch_home() {
  if [ "$(id -u)" = 0 ]; then
    echo "this test needs an ordinary user: root hides mistakes"
    exit 1
  fi
  HOME=$(getent passwd "$(id -u)" | cut -d: -f6)
  export HOME
  [ -z "${SCRATCH_HOME:-}" ] || return 0
  mkdir -p "$work/home/.local/bin" "$work/home/.local/libexec/agent-sandbox" "$work/tests"
  cp "$sandbox" "$work/home/.local/bin/"
  cp "$sandbox-init" "$work/home/.local/libexec/agent-sandbox/"
  cp -r "$root/tests/kernel" "$root/tests/cli" "$work/tests/"
  # The last bind: should the folder for temporary files be below the home, it stays where it is.
  local code=0
  env -u XDG_RUNTIME_DIR SCRATCH_HOME="$work" bwrap --dev-bind / / --unshare-pid --proc /proc --die-with-parent \
    "$@" --bind "$work/home" "$HOME" --bind "$work" "$work" \
    "$work/tests/kernel/$(basename "$0")" "$HOME/.local/bin/agent-sandbox" || code=$?
  exit $code
}
