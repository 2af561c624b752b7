#!/bin/bash
# As installed, the programs find each other, and nothing of the build is needed.
# Usage: install_test.sh AGENT_SANDBOX BUILD_DIR
build=$2
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi
run cmake --install "$build" --prefix "$work/prefix"
[ "$code" = 0 ] || fail "install: $out $err"
bin=$work/prefix/bin/agent-sandbox
init=$work/prefix/libexec/agent-sandbox/agent-sandbox-init
expect_code 7 "$bin" -- sh -c 'exit 7'
expect_code 0 "$bin" doctor
"$bin" plan --print-policy -- /bin/sh -c 'exit 5' >"$work/policy"
expect_code 5 "$init" enter 4 "$(sha256sum <"$work/policy" | cut -d' ' -f1)" 4<"$work/policy"
# Moved apart, they refuse.
mv "$init" "$work/"
expect_code 125 "$bin" true
expect_line "$err" "  cause: init-missing: agent-sandbox-init cannot be found and opened where it belongs ($init)" "the cause"
finish
