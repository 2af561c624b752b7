#!/bin/bash
# The lines by which people already know such a tool, typed as they are written, on a host made for
# them: a home with credentials, a program called claude, a docker socket that answers. Each line that
# opens something has its control without the flag; each that closes something, the same try outside.
# The host is a bubblewrap of ours around the whole test: a scratch folder lies over the home of the
# password database, and /run and /srv are empty ones. Nothing real is touched.
# Not here, because not built yet: the filter of system calls (--no-seccomp) and Slurm (sbatch, srun, …).
# shellcheck disable=SC2016,SC2088 # what is quoted is typed: the user's shell expands it
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/scratch_home.sh"

# ---- the host ------------------------------------------------------------------------------------

scratch_home --tmpfs /run --tmpfs /srv
PATH=$HOME/.local/bin:/usr/bin:/bin
unset XDG_CONFIG_HOME XDG_STATE_HOME # the defaults below the home are what is tested
XDG_RUNTIME_DIR=/run/user/$(id -u)
export XDG_RUNTIME_DIR AWS_SECRET_ACCESS_KEY=canary GITHUB_TOKEN=canary
mkdir -p ~/project ~/.aws ~/.ssh ~/.config/agent-sandbox ~/.config/gcloud "$XDG_RUNTIME_DIR" /srv/site
for file in ~/.aws/credentials ~/.ssh/id_ed25519 ~/.config/gcloud/credentials.db "$XDG_RUNTIME_DIR/bus" /srv/site/notes; do
  echo canary >"$file"
done
# The agent does what the folder it works in says, and tells how it was called.
printf '#!/bin/bash\necho "claude${*:+ $*}"\n. ./task\n' >~/.local/bin/claude
chmod +x ~/.local/bin/claude
# docker: whoever connects gets an answer.
python3 -c '
import socket
server = socket.socket(socket.AF_UNIX)
server.bind("/run/docker.sock")
server.listen()
print("ready", flush=True)
while True:
    peer, _ = server.accept()
    peer.sendall(b"docker answers\n")
    peer.close()' >"$work/docker" &
until [ -s "$work/docker" ]; do sleep 0.05; done

ask_docker='python3 -c "
import errno, socket
try:
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(\"/var/run/docker.sock\")
    print(peer.recv(100).decode(), end=\"\")
except OSError as error:
    print(errno.errorcode[error.errno])"'

# typed LINE WANTED TASK: LINE, in the project, by the user's shell; its agent does TASK. WANTED is all
# that TASK prints, errors by their text alone.
typed() {
  printf '%s\n' "$3" >~/project/task
  run bash -c "cd ~/project && $1"
  local got
  got=$(sed '/^claude/d' <<<"$out")
  got+=$(sed -n 's/^\.\/task: .*: \([A-Z][A-Za-z -]*\)$/\1/p; s/^[a-z]*: .*: \([A-Z][A-Za-z -]*\)$/\1/p' <<<"$err")
  if [ "$got" = "$2" ] && [ "$code" = 0 ]; then echo "ok: $1: ${3%%$'\n'*}: $2"; else
    fail "$1: $3: wanted '$2', got '$got' ($code): $out: $err"
  fi
}
absent='No such file or directory' sealed='Read-only file system'

# ---- agent-sandbox claude, agent-sandbox bash ----------------------------------------------------

# It starts in the project; reads the system; writes only here.
typed 'agent-sandbox claude' "$HOME/project" 'pwd'
typed 'agent-sandbox claude' 'ID=debian' 'grep ^ID= /etc/os-release'
typed 'agent-sandbox claude' "$sealed" 'touch /usr/new || :'
typed 'agent-sandbox claude' '' 'echo from the agent >made'
[ "$(cat ~/project/made)" = 'from the agent' ] || fail "what the agent writes in the project stays"
# Keys, credentials and tokens do not exist; no other name leads to them.
for file in .ssh/id_ed25519 .aws/credentials .config/gcloud/credentials.db; do
  for name in '~' '$HOME' '/proc/self/root$HOME' '/proc/$$/cwd/..'; do
    typed 'agent-sandbox claude' "$absent" "cat $name/$file || :"
    typed 'claude' canary "cat $name/$file" # the control
  done
done
typed 'agent-sandbox claude' 'none none' 'echo ${AWS_SECRET_ACCESS_KEY-none} ${GITHUB_TOKEN-none}'
typed 'claude' 'canary canary' 'echo ${AWS_SECRET_ACCESS_KEY-none} ${GITHUB_TOKEN-none}'

# A shell with a terminal, and one that reads a pipe.
code=0
on_terminal='
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("agent-sandbox", ["agent-sandbox", "bash"])
os.write(terminal, sys.argv[1].encode() + b"\n")
try:
    while seen := os.read(terminal, 4096):
        os.write(1, seen)
except OSError:
    pass  # nobody has the terminal any more
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))'
out=$(cd ~/project && python3 -c "$on_terminal" 'test -t 0 && echo "term"inal; ls ~/.ssh; exit 9') || code=$?
[ "$code" = 9 ] || fail "agent-sandbox bash on a terminal ends with $code: $out"
grep -q terminal <<<"$out" || fail "agent-sandbox bash on a terminal: $out"
grep -q "$absent" <<<"$out" || fail "agent-sandbox bash on a terminal shows ~/.ssh: $out"
code=0
out=$(cd ~/project && agent-sandbox bash <<<'cat ~/.ssh/id_ed25519 || pwd; exit 8' 2>/dev/null) || code=$?
[ "$code: $out" = "8: $HOME/project" ] || fail "agent-sandbox bash: $code: $out"

# ---- --rw, --ro ----------------------------------------------------------------------------------

typed 'agent-sandbox --rw /var/run/docker.sock -- claude --dangerously-skip-permissions' 'docker answers' "$ask_docker"
expect_line "$out" 'claude --dangerously-skip-permissions' "the agent gets its own flags"
typed 'agent-sandbox -- claude --dangerously-skip-permissions' ENOENT "$ask_docker"
typed 'agent-sandbox --ro ~/.aws -- claude --dangerously-skip-permissions' canary 'cat ~/.aws/credentials'
typed 'agent-sandbox --ro ~/.aws -- claude --dangerously-skip-permissions' "$sealed" 'echo more >>~/.aws/credentials || :'
typed 'agent-sandbox --rw ~/.aws -- claude --dangerously-skip-permissions' '' 'echo more >>~/.aws/credentials'
[ "$(cat ~/.aws/credentials)" = $'canary\nmore' ] || fail "the control of the read-only grant wrote nothing"
echo canary >~/.aws/credentials

# ---- the policy file -----------------------------------------------------------------------------

cat >~/.config/agent-sandbox/config.toml <<'TOML'
# Global defaults
whitelist = true
unshare-net = true
ro = ["~/.aws"]

# Named profile
[profile.docker]
blacklist = true
rw = ["/var/run/docker.sock"]
command = ["claude", "--dangerously-skip-permissions"]
TOML
expect_code 0 agent-sandbox validate

# The defaults: only what is listed exists, and no network.
interfaces='tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | sort | tr "\n" " "'
typed 'agent-sandbox claude' canary 'cat ~/.aws/credentials'
typed 'agent-sandbox claude' "$absent" 'cat /srv/site/notes || :'
typed 'agent-sandbox claude' ENOENT "$ask_docker"
typed 'agent-sandbox claude' 'lo ' "$interfaces"
typed 'agent-sandbox --network open -- claude' "$(bash -c "$interfaces")" "$interfaces"

# The profile: its command, its view and its socket; the defaults still hold.
typed 'agent-sandbox --profile docker' 'docker answers' "$ask_docker"
expect_line "$out" 'claude --dangerously-skip-permissions' "the profile has its command"
typed 'agent-sandbox --profile docker' canary 'cat ~/.aws/credentials'
typed 'agent-sandbox --profile docker' canary 'cat /srv/site/notes'
typed 'agent-sandbox --profile docker' "$sealed" 'touch /srv/site/new || :'
typed 'agent-sandbox --profile docker' 'lo ' "$interfaces"
typed 'agent-sandbox --profile docker' "$absent" 'cat ~/.ssh/id_ed25519 || :'
typed 'agent-sandbox --profile docker' "$absent" "cat $XDG_RUNTIME_DIR/bus || :"
typed 'claude' canary "cat $XDG_RUNTIME_DIR/bus"
typed 'claude' '' 'touch /srv/site/new'
# The command line stands above the profile.
typed 'agent-sandbox --profile docker --whitelist' "$absent" 'cat /srv/site/notes || :'
typed 'agent-sandbox --blacklist -- claude' canary 'cat /srv/site/notes'
typed 'agent-sandbox --no-config --unshare-net -- claude' 'lo ' "$interfaces"

# Without the file, with another one, and where XDG_CONFIG_HOME says.
typed 'agent-sandbox --no-config -- claude' "$absent" 'cat ~/.aws/credentials || :'
echo 'ro = ["/srv/site"]' >~/other.toml
typed 'agent-sandbox --config ~/other.toml -- claude' canary 'cat /srv/site/notes'
typed 'agent-sandbox --config ~/other.toml -- claude' "$absent" 'cat ~/.aws/credentials || :'
mkdir -p ~/elsewhere/agent-sandbox && mv ~/.config/agent-sandbox/config.toml ~/elsewhere/agent-sandbox/
typed 'agent-sandbox claude' "$absent" 'cat ~/.aws/credentials || :'
typed 'XDG_CONFIG_HOME=~/elsewhere agent-sandbox claude' canary 'cat ~/.aws/credentials'
finish
