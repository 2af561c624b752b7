#!/bin/bash
# The exit codes of everything up to the plan, produced for real.
. "$(dirname "$0")/lib.sh"

expect_code 0 "$sandbox" --version
expect_code 0 "$sandbox" --help
expect_code 0 "$sandbox" validate
expect_code 0 "$sandbox" plan -- true
expect_code 0 "$sandbox" explain /usr
expect_code 2 "$sandbox" --no-such-option
expect_code 2 "$sandbox" explain
expect_code 2 "$sandbox" run
expect_code 3 "$sandbox" plan --ro "$work/missing"
expect_code 3 "$sandbox" plan --profile none
expect_code 3 "$sandbox" validate --config "$work/missing.toml"

# A first word that names a command is that command; behind -- it is a program. What running gives
# is shown in a kernel, by tests/kernel/run_test.sh.
expect_code 0 "$sandbox" plan

echo 'home = "privat"' >"$XDG_CONFIG_HOME/agent-sandbox/config.toml"
expect_code 3 "$sandbox" validate
expect_code 3 "$sandbox" plan
expect_code 0 "$sandbox" --no-config plan

# A screen is 80 by 24.
run "$sandbox" --help
[ "$(wc -l <<<"$out")" -le 24 ] || fail "--help has $(wc -l <<<"$out") lines"
[ "$(wc -L <<<"$out")" -le 80 ] || fail "--help is $(wc -L <<<"$out") columns wide"
finish
