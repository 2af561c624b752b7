#!/bin/bash
# Every exit code of the table that this version can produce, produced for real.
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

# Nothing is ever run without its walls.
expect_code 125 "$sandbox" touch "$work/ran"
expect_code 125 "$sandbox" run -- touch "$work/ran"
expect_code 125 "$sandbox" shell
[ ! -e "$work/ran" ] || fail "the command ran"

# A first word that names a command is that command; behind -- it is a program.
expect_code 0 "$sandbox" plan
expect_code 125 "$sandbox" -- plan
expect_line "$err" "agent-sandbox: walls not built: this version plans and does not run commands yet" "-- forces a program"

echo 'home = "privat"' >"$XDG_CONFIG_HOME/agent-sandbox/config.toml"
expect_code 3 "$sandbox" validate
expect_code 3 "$sandbox" plan
expect_code 0 "$sandbox" --no-config plan

# A screen is 80 by 24.
run "$sandbox" --help
[ "$(wc -l <<<"$out")" -le 24 ] || fail "--help has $(wc -l <<<"$out") lines"
[ "$(wc -L <<<"$out")" -le 80 ] || fail "--help is $(wc -L <<<"$out") columns wide"
finish
