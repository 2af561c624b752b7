#!/bin/bash
# A reader can follow one rule: explain and plan name the same origin.
. "$(dirname "$0")/lib.sh"
home=$(getent passwd "$(id -u)" | cut -d: -f6)

# origin TEXT: what stands in the last brackets of the first line.
origin() { head -n 1 <<<"$1" | sed 's/.*(\(.*\))$/\1/'; }

# same SUBJECT ARGS...: both commands agree about a path that has a step in the plan.
same() {
  local subject=$1 explained planned
  shift
  run "$sandbox" explain "$@" "$subject"
  explained=$(origin "$out")
  run "$sandbox" plan --json "$@"
  planned=$(SUBJECT=$subject python3 -c '
import json, os, sys
plan = json.load(sys.stdin)
subject = os.environ["SUBJECT"]
for entry in plan["entries"]:
    if entry["path"] == subject:
        origin = entry["origin"]
        layer = "builtin " if origin["layer"] == "builtin" else ""
        if origin["place"].startswith("-"): layer = "command line "
        line = ":%d" % origin["line"] if "line" in origin else ""
        print(layer + origin["place"] + line)
' <<<"$out")
  if [ -n "$planned" ] && [ "$explained" = "$planned" ]; then
    echo "ok: $subject: $planned"
  else
    fail "$subject: explain says '$explained', plan says '$planned'"
  fi
}

same "$home/.ssh"
same "$home/.ssh" --home read
same /usr
same /tmp
mkdir "$work/data" "$work/data/secret"
cat >"$XDG_CONFIG_HOME/agent-sandbox/config.toml" <<EOT
ro = ["$work/data"]
[profile.closed]
hide = ["$work/data/secret"]
EOT
same "$work/data"
same "$work/data/secret" --profile closed
same "$work/data/secret" --rw "$work/data/secret"

# The smallest change that explain prints, taken literally, does what it says.
run "$sandbox" explain --json "$work/data/secret" --profile closed
flag=$(python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["changes"][0]["flag"])' <<<"$out")
eval "run \"\$sandbox\" explain --profile closed $flag \"\$work/data/secret\""
[ "$(cut -d' ' -f1 <<<"$out" | head -n 1)" = read-only ] || fail "after $flag: $out"

run "$sandbox" explain SSH_AUTH_SOCK
expect_line "$out" "dropped     SSH_AUTH_SOCK: the ssh agent: signs with every key (builtin data/environment.toml:$(grep -n SSH_AUTH_SOCK "$root/data/environment.toml" | cut -d: -f1))" "a variable names its row"
run "$sandbox" explain example.com
expect_line "$out" "unreachable example.com: network = none (builtin default)" "a host names its setting"
finish
