#!/bin/bash
# Which policy file is read, and files that are none: PO-18, PO-19.
. "$(dirname "$0")/lib.sh"
config=$XDG_CONFIG_HOME/agent-sandbox/config.toml

echo 'network = "loopback"' >"$config"
run "$sandbox" plan
expect_line "$out" "network    loopback ($config:1)" "the user's policy is read"
run "$sandbox" --no-config plan
expect_line "$out" "network    none (builtin default)" "--no-config reads none"
echo 'network = "open"' >"$work/other.toml"
run "$sandbox" --config "$work/other.toml" plan
expect_line "$out" "network    open ($work/other.toml:1)" "--config reads another"
run "$sandbox" --network none plan
expect_line "$out" "network    none (command line --network)" "a flag overrules the file"
HOME=$work/evil run "$sandbox" explain '~'
grep -qF "$work/evil" <<<"$out" && fail "the home folder came from \$HOME"

# Files that are no policies end at once, by name, and never hang.
refused() { # FILE MESSAGE
  expect_code 3 timeout 5 "$sandbox" validate --config "$1"
  expect_line "$err" "agent-sandbox: policy '$1': $2" "$2"
}
mkfifo "$work/fifo"
mkdir "$work/folder"
ln -s /dev/zero "$work/zero"
ln -s loop "$work/loop"
truncate -s 2G "$work/sparse"
: >"$work/locked" && chmod 000 "$work/locked"
refused "$work/fifo" "a FIFO"
refused "$work/folder" "a folder"
refused "$work/zero" "a device"
refused "$work/loop" "Too many levels of symbolic links"
refused "$work/sparse" "larger than 1048576 bytes"
refused "$work/gone" "No such file or directory"
[ "$(id -u)" = 0 ] || refused "$work/locked" "Permission denied"

# TOML that means to hurt: quick, small, with a place.
head -c 200000 /dev/zero | tr '\0' '[' >"$work/deep.toml"
printf 'ro = ["%s"]\n' "$(head -c 900000 /dev/zero | tr '\0' 'a')" >"$work/long.toml"
awk 'BEGIN { for (i = 0; i < 90000; i++) printf "k%d = 1\n", i }' >"$work/many.toml"
{ printf 'a' && head -c 100000 /dev/zero | sed 's/\x0/.a/g' && echo ' = 1'; } >"$work/dotted.toml"
{ printf 'x = {a' && head -c 100000 /dev/zero | sed 's/\x0/.a/g' && echo ' = 1}'; } >"$work/inline.toml"
awk 'BEGIN {
  printf "bind = [\n"
  for (i = 0; i < 4000; i++) printf "{source = \"/usr\", target = \"/mnt/%d\"},\n", i
  printf "]\nhide = [\n"
  for (i = 0; i < 4000; i++) printf "\"/usr/x%d\",\n", i
  printf "]\n" }' >"$work/binds.toml"
expect_code 3 timeout 20 "$sandbox" plan --config "$work/binds.toml"
expect_line "$err" "1 error" "too many repeated hides are one refusal"
for file in deep long many dotted inline; do
  expect_code 3 timeout 5 "$sandbox" validate --config "$work/$file.toml"
done
XDG_CONFIG_HOME=relative run "$sandbox" plan
expect_line "$err" "agent-sandbox: XDG_CONFIG_HOME is 'relative', which is not an absolute path" "a relative XDG folder is refused"

# The policy that was read cannot be changed from inside, wherever it lies.
echo 'network = "loopback"' >team.toml
run "$sandbox" plan --config team.toml
grep -q "hidden *$PWD/team.toml .*own floor" <<<"${out//\~/$(getent passwd "$(id -u)" | cut -d: -f6)}" ||
  fail "the policy in the workspace is not protected: $out"

# Values that look like code stay values: PO-21.
cat >"$config" <<EOT
ro = ["/\$(touch $work/ran)", "/\`touch $work/ran\`"]
command = ["\$(touch $work/ran)", "; touch $work/ran"]
EOT
run "$sandbox" plan
[ ! -e "$work/ran" ] || fail "a value was executed"
expect_line "$out" "command    '\$(touch $work/ran)' '; touch $work/ran'" "a command is words"
finish
