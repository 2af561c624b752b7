#!/bin/bash
# LC-03: every kind of system call that builds a wall is made to fail, at its first, second, middle
# and last use. The command then does not run (125 and a cause), or it runs with every wall standing.
# shellcheck disable=SC2016 # scripts are for the shell inside
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi
calls='clone mount umount2 pivot_root open_tree move_mount mount_setattr fsopen fsconfig fsmount openat2
  mkdirat symlinkat fchdir chdir memfd_create socketpair pipe2 sendmsg recvmsg prctl sethostname
  capset setsid close_range fcntl execve ioctl write setns unshare inotify_init1 inotify_add_watch statx
  fstatfs'

echo canary >.env
export PLANTED=canary
# Prints every wall that is missing; the last act is the canary.
attempts='
  cat .env >/dev/null 2>&1 && echo "hidden file"
  touch /x 2>/dev/null && echo "root"
  unshare -U true 2>/dev/null && echo "user namespaces"
  head -c 1 /proc/1/environ >/dev/null 2>&1 && echo "PID 1"
  [ -n "$PLANTED" ] && echo "environment"
  [ "$(sed -n "s/CapEff:.//p" /proc/self/status)" = 0000000000000000 ] || echo "capabilities"
  [ "$(sed -n "s/NoNewPrivs:.//p" /proc/self/status)" = 1 ] || echo "privileges"
  [ "$(ls -d /proc/[0-9]* | wc -l)" -lt 12 ] || echo "processes"
  [ "$(tail -n +3 /proc/net/dev | wc -l)" = 1 ] || echo "network"
  [ "$(hostname)" = agent-sandbox ] || echo "hostname"
  ls '"$HOME"'/.profile '"$HOME"'/.bashrc 2>/dev/null && echo "home"
  touch ran'

# Control: without any wall the same attempts find them all missing.
run /bin/sh -c "$attempts; cat .env"
for wall in "hidden file" "environment" "processes" "hostname"; do
  expect_line "$out" "$wall" "control: outside, $wall is seen to be missing"
done
rm -f ran

# Those that make, lock and measure a kept home.
kept_calls='flock mkdirat openat2 newfstatat getdents64 renameat'

traced() { strace -f -o "$work/trace" "$@" "$sandbox" --home "$home" --hide .env -- /bin/sh -c "$attempts"; }
for home in kept private; do
  expect_code 0 traced
  if [ ! -e ran ] || [ -n "$out" ]; then fail "home $home, without a fault: '$out' $err" && finish; fi
  rm -f ran
done

tried=0 refused=0
cases=$(for call in $calls; do echo "private:$call"; done)
cases+=$(for call in $kept_calls; do echo " kept:$call"; done)
for case in $cases; do
  home=${case%%:*} call=${case##*:}
  traced -e "trace=$call" >/dev/null 2>&1
  rm -f ran
  uses=$(grep -cE "^[0-9]+ +$call\(" "$work/trace")
  [ "$uses" -gt 0 ] || { fail "$call is not used at all: take it off the list"; continue; }
  for when in $(printf '%s\n' 1 2 $((uses / 2)) "$uses" | sort -nu | awk -v n="$uses" '$1 > 0 && $1 <= n'); do
    # The attempts are programs too; a fault that meets one of them shows nothing.
    run timeout 20 strace -f -o "$work/trace" -e "trace=$call" -e "inject=$call:error=EPERM:when=$when" \
      "$sandbox" --home "$home" --hide .env -- /bin/sh -c "$attempts"
    tried=$((tried + 1))
    if [ "$code" = 124 ]; then fail "$call $when of $uses: hangs"; fi
    if [ "$code" = 125 ]; then
      refused=$((refused + 1))
      [ ! -e ran ] || fail "$call $when of $uses: 125 and the command ran"
      grep -q '^  \(cause\|fix\)' <<<"$err" || fail "$call $when of $uses: no cause and no fix: $err"
    elif [ -e ran ] && [ -n "$out" ]; then
      fail "$call $when of $uses: ran without: $out"
    fi
    rm -f ran
  done
done
echo "$tried faults, $refused refused with 125"
[ "$refused" -ge 30 ] || fail "only $refused faults were noticed: the test shows little"
finish
