#!/bin/bash
# A command behind its walls, in a real kernel: what it sees, what it may, how it ends. Each wall has
# its control: the same attempt outside, or with that one rule.
# shellcheck disable=SC2015,SC2016 # both halves of && || cannot fail; scripts are for the shell inside
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi

# inside ARGS... -- SCRIPT: runs SCRIPT with these options; keeps out, err and code.
inside() {
  local options=()
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  run "$sandbox" "${options[@]}" -- /bin/bash -c "$2"
}

# expect WANTED OPTIONS... -- SCRIPT: what SCRIPT prints, or the errno of what it tried.
expect() {
  local wanted=$1
  shift
  inside "$@"
  local got=${out:-$(sed -n 's/.*: \([A-Z][A-Za-z -]*\)$/\1/p' <<<"$err" | head -n 1)}
  if [ "$got" = "$wanted" ]; then echo "ok: $wanted: ${*: -1}"; else
    fail "wanted '$wanted', got '$got' ($err): $*"
  fi
}

# --- exit codes, each produced for real (LC-14) -------------------------------------------------
for code in 0 1 2 3 7 125 126 127 130 255; do
  expect_code "$code" "$sandbox" -- /bin/sh -c "exit $code"
done
# shellcheck disable=SC2016 # for the shell inside
for signal in 1 2 3 9 11 15; do
  expect_code $((128 + signal)) "$sandbox" -- /bin/sh -c 'kill -'$signal' $$; sleep 5'
done
expect_code 127 "$sandbox" no-such-program
expect_code 127 "$sandbox" ./missing
touch plain
expect_code 126 "$sandbox" ./plain
expect_code 126 "$sandbox" /usr
expect_code 0 "$sandbox" run -- true
expect_code 3 "$sandbox" run --profile none -- true
expect_code 2 "$sandbox" run
expect_code 127 "$sandbox" -- plan
printf '#!/bin/sh\necho "script $1"\n' >script
chmod +x script
expect_code 0 "$sandbox" ./script one
[ "$out" = "script one" ] || fail "a script beside us: $out"
echo 'echo no interpreter line' >plainscript
chmod +x plainscript
expect_code 0 "$sandbox" ./plainscript

# --- what the command is ------------------------------------------------------------------------
# shellcheck disable=SC2016
{
expect "$(id -u):$(id -g)" -- 'echo $(id -u):$(id -g)'
expect "$PWD" -- 'pwd'
expect "agent-sandbox" -- 'uname -n'
expect 1 -- 'ls -d /proc/[0-9]* | wc -l | sed "s/[2345]/1/"' # itself and a few, not the host's
expect "0000000000000000" -- 'sed -n "s/CapBnd:.//p" /proc/self/status'
expect "0000000000000000" -- 'sed -n "s/CapEff:.//p" /proc/self/status'
expect 1 -- 'sed -n "s/NoNewPrivs:.//p" /proc/self/status'
# PR-01: every namespace is another one; the control is that this test reads the same names outside.
for ns in user mnt pid net ipc uts cgroup; do
  inside -- "readlink /proc/self/ns/$ns"
  [ -n "$out" ] || fail "ns/$ns cannot be read"
  [ "$out" != "$(readlink /proc/self/ns/$ns)" ] && echo "ok: own $ns namespace" || fail "shared $ns"
done
inside --network open -- 'readlink /proc/self/ns/net'
[ "$out" = "$(readlink /proc/self/ns/net)" ] && echo "ok: network = open shares it" || fail "open: $out"

# PR-05: no user namespace in there; outside there is (the sandbox itself needs one).
expect "No space left on device" -- 'unshare -U true'
unshare -U true && echo "ok: control: outside it works" || fail "control: unshare -U outside"
# PR-03: and nothing can be mounted or unmounted.
for call in "umount2(b'/tmp', 2)" "mount(b'none', b'/tmp', b'tmpfs', 0, None)" "chroot(b'/tmp')"; do
  expect 1 -- "python3 -c \"
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(ctypes.get_errno() if libc.$call else 0)\"" # 1 is EPERM
done
# PR-06, PR-07, PR-08, FS-10: PID 1 cannot be read.
for file in environ mem auxv maps root exe fd/3; do
  inside -- "cat /proc/1/$file >/dev/null"
  grep -q "Permission denied" <<<"$err" && echo "ok: PR-08 /proc/1/$file: EACCES" || fail "/proc/1/$file: $err"
done
inside -- 'sleep 3 & cat /proc/$!/environ >/dev/null && echo readable'
[ "$out" = readable ] && echo "ok: control: an own child can be read" || fail "control environ: $err"
export PLANTED=canary
inside -- 'cat /proc/*/environ 2>/dev/null | tr "\0" "\n" | grep -c PLANTED'
[ "$out" = 0 ] && echo "ok: PR-08 no variable of the caller" || fail "PLANTED: $out"
expect canary --env PLANTED -- 'echo $PLANTED'

# TT-06, TT-09: no descriptor but 0 to 2.
expect "0 1 2" -- 'python3 -c "
import os
print(*[fd for fd in sorted(os.listdir(\"/proc/self/fd\")) if os.path.lexists(\"/proc/self/fd/\" + fd)])"'
}

# --- the view, as argv_test shows it for the printed command ------------------------------------
mkdir -p "$work/data/secret" deploy/keys
echo canary >"$work/data/secret/file"
echo canary >.env
echo canary >deploy/keys/id
expect canary --ro "$work/data" -- "cat $work/data/secret/file"
expect "No such file or directory" -- "cat $work/data/secret/file"
expect "Permission denied" --ro "$work/data" --hide "$work/data/secret" -- "cat $work/data/secret/file"
expect "Permission denied" --hide .env -- "cat .env"
expect "Read-only file system" --hide .env -- "chmod 600 .env"
expect "Device or resource busy" --hide .env -- "rm -f .env"
expect "Device or resource busy" --hide deploy/keys -- "mv deploy moved"
expect moved -- "mv deploy moved && mv moved deploy && echo moved"
expect "Read-only file system" -- "touch /new"
expect "Read-only file system" -- "touch /dev/new"
expect "Read-only file system" --ro "$work/data" -- "touch $work/data/new"
expect written --rw "$work/data" -- "touch $work/data/new && echo written"
expect "Read-only file system" --read-only -- "touch new"
expect private -- 'touch /tmp/x ~/x /run/x /dev/shm/x /var/tmp/x && echo private'
[ ! -e "$HOME/x" ] || fail "the private home reached the host"
expect "No space left on device" -- 'fallocate -l 5G /tmp/x'
expect fits -- 'fallocate -l 3G /tmp/x && echo fits'
# FS-34: devices of the host are absent; the few that are there work.
expect "No such file or directory" -- 'cat /dev/mem'
expect 4 -- 'head -c 4 /dev/urandom | wc -c'
expect "Permission denied" --rw "$work" -- "ls $XDG_CONFIG_HOME/agent-sandbox"
expect canary --blacklist -- "cat .env"
expect "Permission denied" --blacklist --hide .env -- "cat .env"
expect "Read-only file system" --blacklist -- "touch /var/new"
# Names that break lists of mounts.
mkdir "$work/odd, name" "$work/new"$'\n'"line"
echo odd >"$work/odd, name/f" && echo odd >"$work/new"$'\n'"line/f"
expect odd --ro "$work/odd, name" -- "cat \"$work/odd, name/f\""
expect odd --ro "$work/new"$'\n'"line" -- "cat \"$work/new"$'\n'"line/f\""

# FS-36: read-only reaches mounts below; every mount that is not granted is ro, and none has suid.
inside --ro "$work/data" -- "grep -v -e ' /proc' -e ' /dev' -e ' /tmp' -e ' /run ' -e ' /var/tmp ' /proc/self/mountinfo | awk '{print \$5, \$6}'"
while read -r where flags; do
  case "$where" in "$HOME" | "$PWD") continue ;; esac
  case ",$flags," in *,ro,*) ;; *) fail "FS-36 $where is $flags" ;; esac
done <<<"$out"
expect 0 -- 'grep -v nosuid /proc/self/mountinfo | wc -l'

# No ghosts (LC-06): nothing was created where rules pointed.
[ "$(cat .env)" = canary ] || fail "the hidden file changed"

# --- network ------------------------------------------------------------------------------------
# A listener of the host on loopback: reachable with the host's network, and with no other.
exec 9< <(python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); s.settimeout(60)
while True:
    c, _ = s.accept(); c.sendall(b"canary"); c.close()')
listener=$!
read -r port <&9
expect "canary" --network open -- "exec 3<>/dev/tcp/127.0.0.1/$port; cat <&3"
expect "Network is unreachable" -- "exec 3<>/dev/tcp/127.0.0.1/$port; cat <&3"
expect "Connection refused" --network loopback -- "exec 3<>/dev/tcp/127.0.0.1/$port; cat <&3"
kill "$listener"
expect "lo" -- 'ls /proc/self/net >/dev/null; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "'
expect "own" --network loopback -- 'python3 -c "
import socket
s = socket.create_server((\"127.0.0.1\", 0)); c = socket.create_connection(s.getsockname()); print(\"own\")"'

# --- streams ------------------------------------------------------------------------------------
[ "$(echo through | "$sandbox" cat)" = through ] && echo "ok: pipe to pipe" || fail "pipe"
[ "$("$sandbox" cat <.env)" = canary ] && echo "ok: a file as input" || fail "file input"
seq 100000 >numbers
"$sandbox" cat <numbers >copy && cmp -s numbers copy && echo "ok: files are relayed whole" || fail "relay"
"$sandbox" sh -c 'echo out; echo err >&2' >both 2>&1 && [ "$(sort both | tr '\n' ' ')" = "err out " ] || fail "both"
head -c 3000000 /dev/zero | "$sandbox" wc -c >count && [ "$(cat count)" = 3000000 ] || fail "3 MB: $(cat count)"
"$sandbox" sh -c 'sleep 300 & echo early' >early && [ "$(cat early)" = early ] && echo "ok: the end does not wait for what is left behind" || fail early
# A bind of a folder in which the sandbox has files of its own.
expect_code 0 "$sandbox" --bind /etc:/mnt/etc -- test -e /mnt/etc/hosts
expect_code 1 "$sandbox" --bind /etc:/mnt/etc -- cat /mnt/etc/passwd
finish
