#!/bin/bash
# The facts of a host give its plan again, anywhere: plan --print-facts, then plan --facts.
. "$(dirname "$0")/lib.sh"
mkdir -p "$work/data/set 1/part" && ln -s "$work/data" "$work/link"
: >"$work/data/$(printf 'odd\xff\nname')"
cat >"$XDG_CONFIG_HOME/agent-sandbox/config.toml" <<EOT
ro = ["$work/link/set 1", "$work/data/odd*"]
hide = ["$work/data/set 1/part", "$work/nothing"]
EOT
run "$sandbox" plan --json -- true
live=$out
run "$sandbox" plan --print-facts -- true
printf '%s\n' "$out" >"$work/facts.json"
run "$sandbox" plan --facts "$work/facts.json" --json -- true
if [ "$out" = "$live" ] && [ -n "$live" ]; then echo "ok: the same plan"; else
  fail "the plan from facts differs"
  diff <(printf '%s\n' "$live") <(printf '%s\n' "$out")
fi

# Facts that do not know a path refuse it; they never take it for missing.
expect_code 3 "$sandbox" plan --facts "$work/facts.json" --hide "$work/unasked"
expect_line "$err" "command line --hide: the facts do not say what '$work/unasked' is" "what nobody looked at is refused"

# Looking opens nothing that the policy does not name, and changes nothing.
find "$work" -newer "$work/facts.json" -not -path "$work/out" -not -path "$work/err" -not -path "$work" | grep . && fail "something was written"
finish
