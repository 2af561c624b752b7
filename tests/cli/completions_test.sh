#!/bin/bash
# The completions are understood by their shells and offer what the tables hold.
. "$(dirname "$0")/lib.sh"
bash -n "$root/completions/agent-sandbox.bash" || fail "bash"
zsh -n "$root/completions/_agent-sandbox" || fail "zsh"
fish -n "$root/completions/agent-sandbox.fish" || fail "fish"

# offers WORDS...: what bash would offer behind these words.
offers() {
  bash -c '
    source "$0"
    COMP_WORDS=(agent-sandbox "$@")
    COMP_CWORD=$#
    compopt() { :; }
    _agent_sandbox
    printf "%s\n" "${COMPREPLY[@]}"' "$root/completions/agent-sandbox.bash" "$@"
}
expect_line "$(offers --net)" --network "a flag"
expect_line "$(offers --network lo)" loopback "a choice"
expect_line "$(offers --accept-gap mask)" mask-race "a gap"
expect_line "$(offers pla)" plan "a command"
expect_line "$(offers plan --arg)" --argv "a flag of a command"
[ -z "$(offers validate --ro)" ] || fail "validate takes no --ro"
[ -z "$(offers -- --net)" ] || fail "behind -- is the program's own"
mapfile -t found < <(fish -c "source $root/completions/agent-sandbox.fish; complete -C 'agent-sandbox --home '" | cut -f1)
[ "${found[*]}" = "kept private read write" ] || fail "fish offers ${found[*]}"
finish
