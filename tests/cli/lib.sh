# Sourced by the script tests: a home of its own, and checks that say what was wanted.
# shellcheck shell=bash disable=SC2034 # the tests use what is set here
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
sandbox=${1:?usage: TEST AGENT_SANDBOX}
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
failures=0

# Own configuration and state, whatever the caller has; the home stays that of the password database.
export XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
mkdir -p "$work/config/agent-sandbox" "$work/state/agent-sandbox" "$work/shop"
cd "$work/shop" || exit 1

fail() {
  printf 'not ok: %s\n' "$1"
  failures=$((failures + 1))
}

# run COMMAND...: keeps out, err and code.
run() {
  code=0
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

# expect_code CODE COMMAND...
expect_code() {
  local wanted=$1
  shift
  run "$@"
  if [ "$code" = "$wanted" ]; then
    echo "ok: $wanted from ${*:1:4}"
  else
    fail "wanted $wanted, got $code from $*"
    printf '%s\n%s\n' "$out" "$err"
  fi
}

# expect_line TEXT LINE WHAT: TEXT has exactly this line.
expect_line() {
  if grep -qxF -- "$2" <<<"$1"; then echo "ok: $3"; else
    fail "$3: no line '$2' in:"
    printf '%s\n' "$1"
  fi
}

finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures failed"
    exit 1
  fi
}
