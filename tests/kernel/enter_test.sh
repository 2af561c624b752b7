#!/bin/bash
# A run that starts from a serialised policy and its digest on a descriptor, as a batch job does.
# shellcheck disable=SC2015,SC2016 # both halves of && || cannot fail
. "$(dirname "$0")/../cli/lib.sh"
init=$(dirname "$sandbox")/agent-sandbox-init
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi

echo canary >.env
"$sandbox" plan --print-policy --hide .env --network loopback -- /bin/cat .env >"$work/policy"
digest=$(sha256sum <"$work/policy" | cut -d' ' -f1)

# The same walls as the flags give, wherever it is started.
"$sandbox" plan --argv --hide .env --network loopback -- /bin/cat .env >"$work/plan1"
(cd / && "$sandbox" plan --argv --policy-fd 5 --policy-digest "$digest" 5<"$work/policy" >"$work/plan2")
[ -s "$work/plan1" ] || fail "no plan"
diff "$work/plan1" "$work/plan2" || fail "another plan"

# It runs, and the wall that it names stands; the control is the file without that rule.
in_job() { "$init" enter 5 "$@" 5<"$work/policy"; }
cd / || exit 1
expect_code 1 in_job "$digest"
grep -q "Permission denied" <<<"$err" || fail "the hidden file: $err"
"$sandbox" plan --print-policy -w "$work/shop" -- /bin/cat .env >"$work/open"
run "$init" enter 5 "$(sha256sum <"$work/open" | cut -d' ' -f1)" 5<"$work/open"
[ "$out" = canary ] && echo "ok: control: without the rule it is read" || fail "control: $out $err"

# One byte more, one byte less, another digest: nothing runs.
for change in '$a # more' '1d'; do
  sed "$change" "$work/policy" >"$work/changed"
  expect_code 125 "$init" enter 5 "$digest" 5<"$work/changed"
  expect_code 3 "$sandbox" --policy-fd 5 --policy-digest "$digest" -- true 5<"$work/changed"
done
expect_code 125 in_job "${digest%?}0x"
expect_code 125 in_job ""
expect_code 125 "$init" enter 77 "$digest"
expect_code 125 "$init" enter
expect_code 3 "$sandbox" --policy-fd 77 --policy-digest "$digest" -- true
expect_code 3 "$sandbox" --policy-fd x --policy-digest "$digest" -- true

# Nothing can be added to it.
expect_code 2 "$sandbox" --policy-fd 5 --policy-digest "$digest" --rw / -- true 5<"$work/policy"
expect_code 2 "$sandbox" --policy-fd 5 -- true 5<"$work/policy"
expect_code 2 "$sandbox" --policy-fd 5 --policy-digest "$digest" --profile x -- true 5<"$work/policy"
echo 'network = "open"' >"$XDG_CONFIG_HOME/agent-sandbox/config.toml"
"$sandbox" plan --policy-fd 5 --policy-digest "$digest" 5<"$work/policy" | grep -q '^network *loopback' || fail "the user's file was joined"

# No variable of the caller gets through, none is followed (SL-26, SL-27).
"$sandbox" plan --print-policy -w "$work/shop" >"$work/any"
run env LD_PRELOAD="$work/none.so" BASH_ENV="$work/shop/planted" SECRET=canary \
  "$init" enter 5 "$(sha256sum <"$work/any" | cut -d' ' -f1)" /usr/bin/env 5<"$work/any"
grep -q -e canary -e LD_PRELOAD -e BASH_ENV <<<"$out" && fail "a variable of the caller: $out"
grep -q '^HOME=' <<<"$out" || fail "no environment at all: $out $err"
expect_code 7 "$init" enter 5 "$(sha256sum <"$work/any" | cut -d' ' -f1)" /bin/sh -c 'exit 7' 5<"$work/any"

# The program is static: nothing is loaded before it runs. (Sanitizers need the shared libraries.)
if readelf -l "$init" | grep -q INTERP && ! grep -q __asan_init "$init"; then fail "init is dynamic"; fi
finish
