#!/bin/bash
# Hosts that cannot build a wall, each made for real by an ordinary user: in a user and mount namespace
# of his own, or behind a filter. On each the command does not run, the exit code is 125, and the
# cause and a fix are named, by a run and by doctor. Each has its control: the same host without the
# defect runs the command.
# shellcheck disable=SC2016 # most of what is quoted here is for another shell
. "$(dirname "$0")/../cli/lib.sh"
if [ "$(id -u)" = 0 ]; then
  echo "this test needs an ordinary user: root hides mistakes"
  exit 1
fi
deny=${2:?usage: TEST AGENT_SANDBOX DENY_CALLS DISOWN}
disown=${3:?usage: TEST AGENT_SANDBOX DENY_CALLS DISOWN}
ran=$work/shop/ran
fakes=$work/fakes
mkdir "$fakes" "$work/bin" "$work/install"
export work fakes disown

# on SETUP COMMAND...: COMMAND, by the ordinary user he is, on a host that SETUP has changed.
on() {
  local setup=$1
  shift
  unshare -U --map-current-user -m --keep-caps -- bash -c "set -e
$setup
exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- \"\$@\"" bash "$@"
}

# bwrap_is MODE SCRIPT: a SETUP whose /usr/bin/bwrap is root's, as far as anybody can see, and SCRIPT.
# An empty script: the real one.
bwrap_is() {
  printf '%s\n' 'mount -t tmpfs none "$fakes"'
  if [ -n "$2" ]; then printf 'printf %%b %q >"$fakes/bwrap"\n' "$2"; else echo 'cp /usr/bin/bwrap "$fakes/bwrap"'; fi
  printf '%s\n' "chmod $1 \"\$fakes/bwrap\"" '"$disown" "$fakes"' 'mount --bind "$fakes/bwrap" /usr/bin/bwrap'
}

# runs WHAT SETUP [WRAPPER...]: the control.
runs() {
  local what=$1 setup=$2
  shift 2
  rm -f "$ran"
  run on "$setup" "$@" "$sandbox" -- touch "$ran"
  if [ "$code" = 0 ] && [ -e "$ran" ]; then echo "ok: runs: $what"; else
    fail "$what: the control does not run ($code): $err"
  fi
  run on "$setup" "$@" "$sandbox" doctor
  [ "$code" = 0 ] || fail "$what: doctor refuses the control ($code): $out$err"
}

# says CAUSE WHAT TEXT: TEXT has a cause line of that name and a fix line.
says() {
  grep -q "^  cause: $1: [^ ]" <<<"$3" || fail "$2: no cause $1 in: $3"
  grep -q '^  fix: *[a-zA-Z]' <<<"$3" || fail "$2: no fix in: $3"
}

# refuses CAUSE WHAT SETUP [WRAPPER...]
refuses() {
  local cause=$1 what=$2 setup=$3 before=$failures
  shift 3
  rm -f "$ran"
  run on "$setup" "$@" "$sandbox" -- touch "$ran"
  [ "$code" = 125 ] || fail "$what: wanted 125, got $code"
  [ ! -e "$ran" ] || fail "$what: the command ran"
  [ -z "$out" ] || fail "$what: it printed $out"
  case $err in "agent-sandbox: walls not built: "*) ;; *) fail "$what: said $err" ;; esac
  says "$cause" "$what" "$err"
  local line
  line=$(sed -n 's/^  cause: //p' <<<"$err")
  run on "$setup" "$@" "$sandbox" doctor
  [ "$code" = 125 ] || fail "$what: doctor ends with $code"
  says "$cause" "$what, doctor" "$out"
  if [ $failures = "$before" ]; then echo "ok: refuses: $what: $line"; fi
}

# --- bubblewrap ---------------------------------------------------------------------------------
runs "nothing changed" ""
# A container: by the time it is asked, the first numbers after 1 are nobody's.
runs "no process 2" "" unshare -U --map-current-user -m -p --fork --mount-proc \
  bash -c '/bin/true; /bin/true; [ ! -e /proc/2 ] || exit 99; "$@"; exit $?' bash
runs "a bwrap whose owner is unknown here" "$(bwrap_is 755 '')"
refuses not-installed "no bwrap" 'mount --bind /dev/null /usr/bin/bwrap'

# This one takes its time; the others go on meanwhile.
hanging=$(bwrap_is 755 '#!/bin/sh\nexec sleep 100077\n')
(
  SECONDS=0
  on "$hanging" "$sandbox" -- touch "$work/shop/hanging" 2>"$work/hanging.err"
  echo "$? $SECONDS" >"$work/hanging.code"
) &
waiting=$!
SECONDS=0
run on "$hanging" "$sandbox" doctor
[ "$code" = 125 ] || fail "a bwrap that hangs: doctor ends with $code"
says binary-broken "a bwrap that hangs, doctor" "$out"
[ $SECONDS -lt 5 ] || fail "a bwrap that hangs: doctor takes $SECONDS s"

refuses binary-broken "a bwrap that exits with 1" "$(bwrap_is 755 '#!/bin/sh\nexit 1\n')"
refuses binary-broken "a bwrap that crashes" "$(bwrap_is 755 '#!/bin/sh\nkill -SEGV $$\n')"
refuses binary-broken "a bwrap that is no program" "$(bwrap_is 755 '\0177ELF\0002\0001\0001')"
refuses binary-broken "a bwrap without its interpreter" "$(bwrap_is 755 '#!/no/such/shell\n')"
refuses binary-broken "a bwrap that may not be executed" "$(bwrap_is 644 '#!/bin/sh\nexit 1\n')"
refuses binary-broken "a bwrap that says its version and nothing else works" \
  "$(bwrap_is 755 '#!/bin/sh\ncase $1 in --version) echo bubblewrap;; esac\n')"
refuses version-too-old "a bwrap of 2017" \
  "$(bwrap_is 755 '#!/bin/sh\ncase $1 in --version) echo bubblewrap 0.1.8;; *) echo "bwrap: Unknown option $1" >&2; exit 1;; esac\n')"

cp /usr/bin/bwrap "$work/bin/bwrap"
PATH=$work/bin:$PATH refuses only-in-writable-place "bwrap only in a folder of PATH" \
  'mount --bind /dev/null /usr/bin/bwrap'
refuses only-in-writable-place "a bwrap that a group may write" "$(bwrap_is 775 '')"
refuses only-in-writable-place "a bwrap of the user's own" 'mount --bind "$work/bin/bwrap" /usr/bin/bwrap'

# --- user namespaces ----------------------------------------------------------------------------
runs "user namespaces limited to ten" 'echo 10 >/proc/sys/user/max_user_namespaces'
refuses userns-disabled "user.max_user_namespaces = 0" 'echo 0 >/proc/sys/user/max_user_namespaces'
refuses userns-disabled "room for one user namespace only" 'echo 1 >/proc/sys/user/max_user_namespaces'
runs "a filter that denies nothing" "" "$deny" nothing
refuses userns-disabled "ENOSPC from a filter" "" "$deny" userns-enospc
refuses clone-denied "EPERM from a filter" "" "$deny" userns-eperm
refuses apparmor-userns "mounts refused with EACCES" "" "$deny" mounts
refuses mount-namespace-denied "mounts refused with EPERM" "" "$deny" mounts-eperm
refuses network-namespace-denied "no network namespace" "" "$deny" network
refuses mount-namespace-denied "new calls hidden by a filter" "" "$deny" mounts-enosys
refuses kernel-too-old "a kernel without them" "" setarch "$(uname -m)" --uname-2.6 "$deny" mounts-enosys
runs "a kernel that only says that it is old" "" setarch "$(uname -m)" --uname-2.6
refuses mount-namespace-denied "user.max_mnt_namespaces = 0" 'echo 0 >/proc/sys/user/max_mnt_namespaces'
refuses network-namespace-denied "user.max_net_namespaces = 0" 'echo 0 >/proc/sys/user/max_net_namespaces'
refuses pid-namespace-denied "user.max_pid_namespaces = 0" 'echo 0 >/proc/sys/user/max_pid_namespaces'

# --- /proc --------------------------------------------------------------------------------------
again='mount --rbind /proc /proc'
runs "/proc mounted once more" "$again"
refuses proc-sys-read-only "/proc read-only" "$again; mount -o remount,bind,ro /proc"
refuses proc-sys-read-only "/proc/sys read-only" \
  'mount --bind /proc/sys /proc/sys; mount -o remount,bind,ro /proc/sys'
refuses proc-masked "a file of /proc covered" 'mount --bind /dev/null /proc/version'
# A sanitizer cannot start without /proc.
if ! grep -q __asan_init "$sandbox"; then
  refuses no-proc "no /proc" 'mount -t tmpfs none /proc'
fi

# --- /dev ---------------------------------------------------------------------------------------
devices='mkdir -p "$fakes/dev"; mount --rbind /dev "$fakes/dev"; mount -t tmpfs none /dev
for name in null zero full random urandom tty; do touch /dev/$name; mount --bind "$fakes/dev/$name" /dev/$name; done'
runs "a /dev of few devices" "$devices"
refuses no-devices "no /dev/null" "$devices; umount /dev/null; rm /dev/null"
refuses no-devices "no devices" 'mount -t tmpfs none /dev'
# Nothing can stand for a closed descriptor then.
code=0
on 'mount -t tmpfs none /dev' "$sandbox" -- touch "$ran" 0<&- 2>"$work/err" || code=$?
if [ $code = 125 ] && [ ! -e "$ran" ] && grep -q '^  fix: ' "$work/err"; then
  echo "ok: refuses: no /dev/null for a closed descriptor"
else
  fail "no /dev/null for a closed descriptor: $code $(cat "$work/err")"
fi

# --- agent-sandbox-init -------------------------------------------------------------------------
version=$("$sandbox" --version | sed 's/.* //')
installed=$sandbox
sandbox=$work/install/agent-sandbox
init=$work/install/agent-sandbox-init
cp "$installed" "$sandbox"
put_init() { rm -f "$init" && cp "$(dirname "$installed")/agent-sandbox-init" "$init"; }
put_init
runs "both programs in a folder of the user's" ""
chmod 775 "$init"
refuses init-writable "an init that a group may write" ""
rm "$init"
refuses init-missing "no init" ""
ln -s "$(dirname "$installed")/agent-sandbox-init" "$init"
refuses init-writable "an init that is a link" ""
put_init
sed -i "s/${version//./\\.}/${version//[0-9]/7}/g" "$init"
refuses init-mismatch "an init of another version" ""
rm "$init" && cp /bin/true "$init"
refuses init-broken "an init that is another program" ""
rm "$init" && echo nothing >"$init" && chmod 755 "$init"
refuses init-broken "an init that is no program" ""
put_init && chmod 644 "$init"
refuses init-broken "an init that may not be executed" ""
put_init && chmod 311 "$init"
refuses init-missing "an init that may not be read" ""
put_init
runs "both programs again" ""
sandbox=$installed

# --- a path that goes between the plan and its mount ---------------------------------------------
# Whenever it goes: the run sees it (0), the plan misses it (3), or it is refused; never anything else.
(while mkdir "$work/flicker" && rmdir "$work/flicker"; do :; done) 2>/dev/null &
flickering=$!
seen=0
for ((i = 0; i < 500 && seen == 0; i++)); do
  rm -f "$ran"
  run "$sandbox" --ro "$work/flicker" -- touch "$ran"
  case $code in
    0) [ -e "$ran" ] || fail "a path that goes: 0, and nothing ran" ;;
    3) [ ! -e "$ran" ] || fail "a path that goes: 3, and it ran" ;;
    125)
      seen=1
      [ ! -e "$ran" ] || fail "a path that goes: 125, and it ran"
      says path-changed "a path that goes" "$err"
      ;;
    *) fail "a path that goes: $code: $err" ;;
  esac
done
kill "$flickering"
wait "$flickering" 2>/dev/null
rm -rf "$work/flicker"
if [ $seen = 1 ]; then echo "ok: refuses: a path that goes, in attempt $i: $(sed -n 's/^  cause: //p' <<<"$err")"; else
  fail "a path that goes was never caught between plan and mount"
fi

# --- what looks broken and is not ---------------------------------------------------------------
full='mkdir -p "$work/full"
mount -t tmpfs -o size=4k none "$work/full"
dd if=/dev/zero of="$work/full/filler" bs=4k count=2 2>/dev/null || true
if { echo x >"$work/full/more"; } 2>/dev/null; then echo "not full" >&2; exit 9; fi'
runs "a full disk as home, state and temporary folder" "$full" \
  env HOME="$work/full" TMPDIR="$work/full" XDG_STATE_HOME="$work/full" XDG_CACHE_HOME="$work/full"

wait "$waiting"
read -r code seconds <"$work/hanging.code"
[ "$code" = 125 ] || fail "a bwrap that hangs: $code"
[ ! -e "$work/shop/hanging" ] || fail "a bwrap that hangs: the command ran"
says binary-broken "a bwrap that hangs" "$(cat "$work/hanging.err")"
if pgrep -u "$(id -u)" -f '^sleep 100077$'; then fail "a bwrap that hangs: it is still there"; fi
if [ "$seconds" -lt 60 ]; then echo "ok: refuses: a bwrap that hangs, after $seconds s"; else
  fail "a bwrap that hangs: $seconds s"
fi
finish
