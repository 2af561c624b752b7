#!/bin/bash
# Every command in the documents runs: lines of ```sh blocks that start with agent-sandbox, and the
# TOML of ```toml blocks, which must be valid policies.
. "$(dirname "$0")/lib.sh"
mandoc -T lint -W warning "$root/docs/man/agent-sandbox.1" || fail "the man page"

# blocks LANGUAGE FILE: the blocks of that language, one after the other, each ending in a \f line.
blocks() {
  awk -v l="$1" '$0 == "```" l { on = 1; next } /^```/ { if (on) print "\f"; on = 0 } on' "$2"
}

home=$(getent passwd "$(id -u)" | cut -d: -f6)
commands=0 policies=0
mkdir -p "$work/bin" && ln -s "$sandbox" "$work/bin/agent-sandbox"
PATH=$work/bin:$PATH
for document in "$root"/README.md "$root"/docs/how-to/*.md "$root"/docs/reference/*.md; do
  while IFS= read -r line; do
    case $line in agent-sandbox*) ;; *) continue ;; esac
    commands=$((commands + 1))
    line=${line%%  #*}
    code=0
    # Paths of the examples that this host lacks are not what is tested here.
    bash -c "${line//\~/$home}" >"$work/out" 2>"$work/err" </dev/null || code=$?
    wanted=0
    case $line in *"# exits "*) wanted=${line##*# exits } ;; esac
    [ $code = "$wanted" ] || { fail "${document##*/}: $line: $code"; cat "$work/err"; }
  done < <(blocks sh "$document")
  block=
  while IFS= read -r line; do
    if [ "$line" != $'\f' ]; then
      block+=$line$'\n'
      continue
    fi
    policies=$((policies + 1))
    printf '%s' "$block" >"$work/policy.toml"
    run "$sandbox" validate --config "$work/policy.toml"
    [ "$code" = 0 ] || { fail "${document##*/}: a policy is wrong"; printf '%s\n%s\n' "$block" "$err"; }
    block=
  done < <(blocks toml "$document")
done
echo "$commands commands, $policies policies"
if [ "$commands" -lt 10 ] || [ "$policies" -lt 10 ]; then fail "too few: the documents were not found"; fi
finish
