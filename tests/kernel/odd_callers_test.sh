#!/bin/bash
# Callers that are odd and legal: no terminal, closed or dangerous descriptors, tiny limits, strange
# masks, signals and folders. Each works, or is refused with 125 and the reason; nothing else. What
# stands against an attack has its control: plain bubblewrap, where the attempt succeeds.
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi
ran=$work/shop/ran

# wants TEXT WHAT: what the last command printed.
wants() {
  if [ "$code" = 0 ] && [ "$out" = "$1" ]; then echo "ok: $2"; else
    fail "$2: wanted '$1', got $code '$out' $err"
  fi
}

# refused CAUSE WHAT: the last command was; nothing ran.
refused() {
  if [ "$code" = 125 ] && grep -q "^  cause: $1: " <<<"$err" && grep -q '^  fix: *[^ ]' <<<"$err" && [ ! -e "$ran" ]; then
    echo "ok: refused: $2: $(head -n 1 <<<"$err")"
  else
    fail "$2: wanted 125 and $1, got $code $err"
  fi
  rm -f "$ran"
}

# --- terminal and folders -----------------------------------------------------------------------
run setsid -w "$sandbox" -- sh -c 'if (exec </dev/tty) 2>/dev/null; then echo tty; else echo none; fi'
wants none "no terminal at all"
chmod 555 "$XDG_STATE_HOME/agent-sandbox" "$XDG_STATE_HOME"
run "$sandbox" -- echo yes
wants yes "a state folder that cannot be written"
chmod 755 "$XDG_STATE_HOME" "$XDG_STATE_HOME/agent-sandbox"
XDG_STATE_HOME=/nonexistent/state run "$sandbox" -- echo yes
wants yes "a state folder that nobody could make"

mkdir "$work/gone" && cd "$work/gone" && rmdir "$work/gone" || exit 1
expect_code 3 "$sandbox" -- touch "$ran"
grep -q '^  fix: ' <<<"$err" || fail "a deleted folder: no fix: $err"
run "$sandbox" --workspace "$work/shop" -- pwd
wants "$work/shop" "a deleted folder, another workspace"
mkdir "$work/locked" && cd "$work/locked" && chmod 0 "$work/locked" || exit 1
run "$sandbox" -- touch "$ran"
refused path-denied "a folder that may not be entered"
chmod 311 "$work/locked"
run "$sandbox" -- pwd
wants "$work/locked" "a folder that may be entered and not read"
cd "$work/shop" || exit 1

home=$(getent passwd "$(id -u)" | cut -d: -f6)
# shellcheck disable=SC2016 # for the shell inside
for wrong in --unset=HOME HOME= HOME=relative HOME=/nonexistent "HOME=$work/config"; do
  run env "$wrong" "$sandbox" -- sh -c 'echo $HOME'
  wants "$home" "home from the password database, $wrong"
done

# --- open files ---------------------------------------------------------------------------------
# The smallest number that works depends on the policy; below it every one is refused, with the reason.
smallest=0
numbers=$(seq 4 64)
if grep -q __asan_init "$sandbox"; then numbers=$(seq 20 64); fi # a sanitizer opens files of its own
for number in $numbers; do
  rm -f "$ran"
  run bash -c 'ulimit -n "$1" && exec "$2" -- touch "$3"' limit "$number" "$sandbox" "$ran"
  if [ "$code" = 0 ]; then
    [ -e "$ran" ] || fail "ulimit -n $number: 0, and nothing ran"
    [ "$smallest" != 0 ] || smallest=$number
    [ "$number" -lt $((smallest + 5)) ] || break
  elif [ "$smallest" != 0 ]; then
    fail "ulimit -n $smallest works and $number does not: $err"
  elif [ "$code" != 125 ] || [ -e "$ran" ] || ! grep -q '^  cause: limits: .*ulimit -n' <<<"$err"; then
    # With fewer than five not even the C library can be opened.
    grep -q 'error while loading shared libraries' <<<"$err" || fail "ulimit -n $number: $code $err"
  fi
done
if [ "$smallest" -gt 4 ] && [ "$smallest" -lt 40 ]; then echo "ok: ulimit -n $smallest is enough"; else
  fail "the smallest ulimit -n is $smallest"
fi
rm -f "$ran"
# A sanitizer looks for leaks in a process of its own.
ASAN_OPTIONS=detect_leaks=0 run bash -c 'ulimit -u 1; exec "$1" -- touch "$2"' limit "$sandbox" "$ran"
refused limits "no further process"

# --- masks and signals --------------------------------------------------------------------------
# shellcheck disable=SC2016 # for the shells inside
{
echo canary >hidden
run bash -c 'umask 777; exec "$1" --hide hidden -- sh -c "umask; touch made; stat -c %a made; cat hidden 2>&1; cat /etc/passwd >/dev/null && echo read; touch /usr/new 2>&1"' mask "$sandbox"
rm -f made
if [ "$out" = "0777
0
cat: hidden: Permission denied
read
touch: cannot touch '/usr/new': Read-only file system" ]; then echo "ok: umask 777: the walls stand, and the command has it"; else
  fail "umask 777: $code $out $err"
fi
run bash -c 'umask 027; exec "$1" -- sh -c umask' mask "$sandbox"
wants 0027 "the caller's mask reaches the command"

masks='sed -n "s/^Sig\\(Blk\\|Ign\\):.//p" /proc/self/status'
clear=$(printf '0000000000000000\n0000000000000000')
for odd in --ignore-signal=CHLD --ignore-signal=PIPE --ignore-signal=HUP --ignore-signal --block-signal; do
  run env "$odd" "$sandbox" -- sh -c "$masks"
  wants "$clear" "the command starts with no signal blocked or ignored: $odd"
  expect_code 7 env "$odd" "$sandbox" -- sh -c 'exit 7'
done
# A blocked signal still reaches the command.
env --block-signal "$sandbox" -- sh -c 'trap "exit 9" TERM; touch started; while :; do sleep 0.01; done' 2>/dev/null &
odd=$!
for ((i = 0; i < 500; i++)); do [ ! -e started ] || break && sleep 0.01; done
kill -TERM $odd
wait $odd
[ $? = 9 ] || fail "a caller that blocks every signal does not pass on SIGTERM"
rm -f started
}

# --- exit codes ---------------------------------------------------------------------------------
for code in 0 1 2 3 125 126 127 130 137 143 255; do
  expect_code "$code" "$sandbox" -- sh -c "exit $code"
  [ -z "$err" ] || fail "exit $code: the command's own code, and we said: $err"
done
# Ended from outside in the middle: that is no refusal, because the command ran.
"$sandbox" -- sh -c "touch '$ran'; sleep 60" 2>"$work/err" &
odd=$!
for ((i = 0; i < 500; i++)); do [ ! -e "$ran" ] || break && sleep 0.01; done
engine=$(pgrep -P $odd | head -n 1)
kill -KILL "$engine"
wait $odd
code=$?
if [ $code = 137 ] && grep -q '^agent-sandbox: ' "$work/err"; then echo "ok: bubblewrap killed in the middle: 137 and a remark"; else
  fail "bubblewrap killed in the middle: $code $(cat "$work/err")"
fi
rm -f "$ran"

# --- descriptors and the environment --------------------------------------------------------------
python3 "$root/tests/kernel/odd_descriptors.py" "$sandbox" "$work" || fail "descriptors"
finish
