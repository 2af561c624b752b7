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
# FS-21: a hide survives a grant of its folder in every order. The control: a list of mounts, made in
# the order given.
mkdir -p "$work/parent/child"
echo canary >"$work/parent/child/file"
run /usr/bin/bwrap --ro-bind / / --tmpfs "$work/parent/child" --ro-bind "$work/parent" "$work/parent" cat "$work/parent/child/file"
expect_line "$out" canary "FS-21 control: the later mount uncovers the child"
refused="cat: $work/parent/child/file: Permission denied"
run "$sandbox" --hide "$work/parent/child" --rw "$work/parent" -- cat "$work/parent/child/file"
expect_line "$err" "$refused" "FS-21 the grant of the parent behind the hide"
run "$sandbox" --rw "$work/parent" --hide "$work/parent/child" -- cat "$work/parent/child/file"
expect_line "$err" "$refused" "FS-21 the grant of the parent in front of the hide"
finish
