# Made by generate_reference from src/policy/keys.cc and src/cli/options.cc. Do not edit.
# shellcheck shell=bash
_agent_sandbox() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command='' flags i=1
  while [ "$i" -lt "$COMP_CWORD" ]; do
    case ${COMP_WORDS[i]} in
      --) return ;;
      --config|-c|--profile|-p|--policy-fd|--policy-digest|--facts|--view|--home|--workspace|-w|--ro|--rw|--hide|--bind|--network|--env|--engine|--require|--accept-gap) i=$((i + 1)) ;;
      -*) ;;
      *)
        [ -n "$command" ] && break
        command=${COMP_WORDS[i]}
        ;;
    esac
    i=$((i + 1))
  done
  case $before in
    --config|-c) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --profile|-p) :; return ;;
    --policy-fd) :; return ;;
    --policy-digest) :; return ;;
    --facts) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --view) mapfile -t COMPREPLY < <(compgen -W 'whitelist blacklist' -- "$word"); return ;;
    --home) mapfile -t COMPREPLY < <(compgen -W 'private kept read write' -- "$word"); return ;;
    --workspace|-w) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --ro) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --rw) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --hide) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --bind) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --network) mapfile -t COMPREPLY < <(compgen -W 'none loopback open' -- "$word"); return ;;
    --env) :; return ;;
    --engine) mapfile -t COMPREPLY < <(compgen -W 'auto bubblewrap' -- "$word"); return ;;
    --require) mapfile -t COMPREPLY < <(compgen -W 'mask-race late-hide link-swap prelinked work-tree run-later syscalls memory-total cpu disk-workspace fd-passing user-limits' -- "$word"); return ;;
    --accept-gap) mapfile -t COMPREPLY < <(compgen -W 'mask-race late-hide link-swap prelinked work-tree run-later syscalls memory-total cpu disk-workspace fd-passing user-limits' -- "$word"); return ;;
  esac
  case $command in
    run) flags='--config --no-config --profile --policy-fd --policy-digest --quiet --debug --help --version --view --home --workspace --read-only --no-read-only --ro --rw --hide --bind --network --env --tty --no-tty --engine --require --accept-gap --whitelist --blacklist --unshare-net --no-unshare-net' ;;
    shell) flags='--config --no-config --profile --quiet --debug --help --version --view --home --workspace --read-only --no-read-only --ro --rw --hide --bind --network --env --tty --no-tty --engine --require --accept-gap --whitelist --blacklist --unshare-net --no-unshare-net' ;;
    plan) flags='--config --no-config --profile --policy-fd --policy-digest --json --argv --facts --print-facts --print-policy --debug --help --version --view --home --workspace --read-only --no-read-only --ro --rw --hide --bind --network --env --tty --no-tty --engine --require --accept-gap --whitelist --blacklist --unshare-net --no-unshare-net' ;;
    explain) flags='--config --no-config --profile --json --facts --debug --help --version --view --home --workspace --read-only --no-read-only --ro --rw --hide --bind --network --env --tty --no-tty --engine --require --accept-gap --whitelist --blacklist --unshare-net --no-unshare-net' ;;
    validate) flags='--config --no-config --profile --debug --help --version' ;;
    doctor) flags='--json --debug --help --version' ;;
    gc) flags='--json --list --all --older-than --max-size --dry-run --debug --help --version' ;;
    '') flags='--config --no-config --profile --policy-fd --policy-digest --quiet --debug --help --version --view --home --workspace --read-only --no-read-only --ro --rw --hide --bind --network --env --tty --no-tty --engine --require --accept-gap --whitelist --blacklist --unshare-net --no-unshare-net' ;;
    *) compopt -o default; return ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$word")
  elif [ -z "$command" ]; then
    mapfile -t COMPREPLY < <(compgen -W 'run shell plan explain validate doctor gc' -- "$word"; compgen -c -- "$word")
  else
    compopt -o default
  fi
}
complete -F _agent_sandbox agent-sandbox
