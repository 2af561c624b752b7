#!/bin/bash
# explain against a real kernel: what it says about a path is what a program inside meets there, and
# the flag that it suggests does what it says, whatever the name.
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi

# A flag taken from the output goes through a shell.
mkdir "$work/odd"
# shellcheck disable=SC2016 # a name, not a variable
for name in 'a b' "it's" '"x", "y' 'a\b' '*' '?' '[a]' '$HOME' '{x,y}' $'new\nline' $'\e[31m' \
  $'\xff' $'\u202e' '#' '~' 'x=~' '-x' ' '; do
  path=$work/odd/$name
  echo odd >"$path"
  run "$sandbox" explain --json "path:$path"
  flag=$(python3 -c '
import json, sys
flag = json.load(sys.stdin)[0]["changes"][0]["flag"]
print(flag if isinstance(flag, str) else bytes.fromhex(flag["hex"]).decode())' <<<"$out")
  eval "run \"\$sandbox\" explain $flag \"path:\$path\""
  case $out in
    read-only\ *) echo "ok: $flag" ;;
    *) fail "$flag: $out $err" ;;
  esac
done
finish
