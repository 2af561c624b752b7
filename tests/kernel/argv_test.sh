#!/bin/bash
# The command that plan --argv prints, given to a real bubblewrap: what it shows is what the plan
# says. Each attempt has its control, the same attempt without that one rule.
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi

mkdir -p "$work/shop/deploy/keys" "$work/data/secret" "$work/data/plain" "$work/odd, name"
echo canary >"$work/data/secret/file"
echo plain >"$work/data/plain/file"
echo canary >"$work/shop/.env"
echo canary >"$work/shop/deploy/keys/id"
echo odd >"$work/odd, name/"$'new\nline'
ln -s "$work/data" "$work/link"

# inside "ARGS..." SCRIPT: runs SCRIPT in what plan --argv prints; keeps out, err and code.
inside() {
  eval "\"\$sandbox\" plan --argv $1 -- /bin/bash -c \"\$2\"" >"$work/argv" 2>"$work/err" ||
    { fail "plan $1: $(cat "$work/err")"; return; }
  run bash "$work/argv"
}

# outcome WANTED ARGS SCRIPT: SCRIPT prints one word, or the errno of what it tried.
outcome() {
  inside "$2" "$3"
  local got=${out:-$(sed -n 's/.*: \(Permission denied\|No such file or directory\|Read-only file system\|Device or resource busy\)$/\1/p' <<<"$err" | head -n 1)}
  if [ "$got" = "$1" ]; then echo "ok: $1: ${2:-no rule}: ${3:0:60}"; else
    fail "wanted '$1', got '$got' ($err): $2: $3"
  fi
}

outcome yes "" "echo yes"
outcome plain "--ro \$work/data" "cat $work/data/plain/file"
outcome "No such file or directory" "" "cat $work/data/plain/file"

# A hide below a grant gives EACCES, never an empty read; without the hide the canary is read.
outcome canary "--ro \$work/data" "cat $work/data/secret/file"
outcome "Permission denied" "--ro \$work/data --hide \$work/data/secret" "cat $work/data/secret/file"
outcome "Permission denied" "--rw \$work/data --hide \$work/data/secret" "ls $work/data/secret"
outcome "Permission denied" "--hide .env" "cat $work/shop/.env"
outcome canary "" "cat $work/shop/.env"
outcome "Read-only file system" "--hide .env" "chmod 600 $work/shop/.env"

# The same through another name.
outcome "Permission denied" "--ro \$work/link --hide \$work/data/secret" "cat $work/link/secret/file"
outcome "Permission denied" "--bind \$work/data:/mnt/x --hide \$work/data/secret" "cat /mnt/x/secret/file"
outcome canary "--bind \$work/data:/mnt/x" "cat /mnt/x/secret/file"

# FS-15: a folder above what is protected cannot be moved away; without the protection it can.
outcome "Device or resource busy" "--hide deploy/keys" "mv $work/shop/deploy $work/shop/moved"
outcome moved "" "mv $work/shop/deploy $work/shop/moved && mv $work/shop/moved $work/shop/deploy && echo moved"

# Read-only means read-only, and nothing appears in the root.
outcome "Read-only file system" "--ro \$work/data" "touch $work/data/plain/new"
outcome written "--rw \$work/data" "touch $work/data/plain/new && echo written"
outcome "Read-only file system" "--read-only" "touch $work/shop/new"
outcome "Read-only file system" "" "touch /new"

# Names that break lists of mounts.
outcome odd "--ro \"\$work/odd, name\"" "cat \"$work/odd, name/\"*"

# The own floor, in a grant of everything around it: FS-31.
echo canary >"$XDG_CONFIG_HOME/agent-sandbox/config.toml.canary"
outcome "Permission denied" "--rw \$work/config" "cat $XDG_CONFIG_HOME/agent-sandbox/config.toml.canary"
outcome "Device or resource busy" "--rw \$work" "mv $XDG_CONFIG_HOME $work/elsewhere"

# Nothing of the environment but what is named.
# shellcheck disable=SC2016 # for the shell inside
{
export PLANTED=canary
outcome empty "" 'echo ${PLANTED:-empty}'
outcome canary "--env PLANTED" 'echo $PLANTED'
outcome set "--env PLANTED=set" 'echo $PLANTED'
}

# A name that could act in the shell that reads the command does not pass.
env "LC_\$(touch $work/ran)=1" "$sandbox" plan --argv -- true >"$work/argv"
run bash "$work/argv"
[ ! -e "$work/ran" ] || fail "a variable's name was executed"

# Another shell would open what is hidden: it is refused before anything runs.
mkdir "$work/shop/"$'d\nx'
echo canary >"$work/shop/"$'d\nx/f'
"$sandbox" plan --argv --hide ./$'d\nx' -- /bin/sh -c 'cat ./d*/f' >"$work/argv"
expect_code 125 dash "$work/argv"
run bash "$work/argv"
[ -z "$out" ] || fail "read through a hidden folder: $out"

# What an agent prepares in one run does not open the next: locked folders, planted links.
echo top >"$work/shop/deploy/secret"
inside "--hide deploy/secret" "chmod 0 $work/shop/deploy 2>&1; echo done"
inside "" "chmod 0 $work/shop/deploy"
expect_code 3 "$sandbox" plan --hide deploy/secret
chmod 700 "$work/shop/deploy"
inside "" "ln -s $work/data/secret $work/shop/current"
expect_code 3 "$sandbox" plan --ro current
inside "--rw \$work/data" "ln -s nope/../secret $work/data/dangling"
expect_code 3 "$sandbox" plan --rw "$work/data" --hide "$work/data/dangling" --hide "$work/data/secret"

# No ghosts: nothing was created where the rules pointed.
find "$work/shop" -size 0 -not -name .env | grep . && fail "ghost files"
[ "$(cat "$work/shop/.env")" = canary ] || fail "the hidden file changed"
finish
