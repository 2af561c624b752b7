#!/bin/bash
# Programs that live below the home, as the usual installers leave them there, and git work trees: they
# work with no flag, and nothing else of the home is seen (FS-42, FS-33).
# Each row has two controls: what was installed with the program is not there for another command, and
# without the offer (its folder hidden) the program is not found.
# shellcheck disable=SC2016,SC2088 # what is quoted is a script for inside
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/scratch_home.sh"
scratch_home --tmpfs /srv
PATH=/usr/bin:/bin
mkdir -p ~/shop ~/.ssh ~/other
echo canary >~/.ssh/id
echo canary >~/other/notes
cd ~/shop || exit 1

# program FILE LINES…: a script, with the data that belongs to it beside it or where it looks.
program() {
  mkdir -p "$(dirname "$1")"
  printf '%s\n' "${@:2}" >"$1"
  chmod +x "$1"
}
# An interpreter of its own: a real program, under another name.
interpreter() {
  mkdir -p "$(dirname "$1")"
  cp /bin/bash "$1"
}

# works NAME HIDDEN COMMAND…: it says "works"; nothing else of the home is there; and the controls.
works() {
  local name=$1 hidden=$2
  shift 2
  run "$@"
  [ "$out" = works ] || fail "$name: control: outside it says '$out' $err"
  expect_code 0 "$sandbox" -- "$@"
  [ "$out" = works ] || fail "$name: '$out' $err"
  run "$sandbox" -- "$@" --look
  [ "$out" = 'not there' ] || fail "$name: the rest of the home: '$out' $err"
  run "$sandbox" --hide "$hidden" -- "$@"
  case $code in
    126 | 127) echo "ok: $name: control: with its folder hidden it does not start" ;;
    *) fail "$name: control: with its folder hidden: $code '$out' $err" ;;
  esac
}
# The second half of every program: what it sees of the rest of the home.
look='[ "$1" = --look ] && { cat ~/.ssh/id ~/other/notes ~/.netrc 2>/dev/null && exit; echo "not there"; exit; }'
echo canary >~/.netrc

# npm install -g with a prefix below the home: a link in bin, the package in lib/node_modules.
package=~/.npm-global/lib/node_modules/tool
program $package/cli.js '#!/usr/bin/env node' "$look" 'cat "$(dirname "$(readlink -f "$0")")/data"'
interpreter ~/.npm-global/bin/node
echo works >$package/data
ln -s ../lib/node_modules/tool/cli.js ~/.npm-global/bin/tool
PATH=~/.npm-global/bin:/usr/bin:/bin works 'npm -g' '~/.npm-global' tool

# nvm: node and what it installed, one folder a version.
top=~/.nvm/versions/node/v20.11.1
program $top/lib/node_modules/agent/cli.js '#!/usr/bin/env node' "$look" 'cat "$(dirname "$(readlink -f "$0")")/data"'
interpreter $top/bin/node
echo works >$top/lib/node_modules/agent/data
ln -s ../lib/node_modules/agent/cli.js $top/bin/agent
PATH=$top/bin:/usr/bin:/bin works nvm '~/.nvm' agent

# pyenv: a shim that asks pyenv which version is meant.
program ~/.pyenv/shims/tool '#!/usr/bin/env bash' 'exec "$HOME/.pyenv/libexec/pyenv" exec tool "$@"'
program ~/.pyenv/libexec/pyenv '#!/usr/bin/env bash' 'shift' \
  'exec "$HOME/.pyenv/versions/$(cat "$HOME/.pyenv/version")/bin/$1" "${@:2}"'
program ~/.pyenv/versions/3.11/bin/tool "#!$HOME/.pyenv/versions/3.11/bin/python" "$look" 'cat "$(dirname "$0")/../data"'
interpreter ~/.pyenv/versions/3.11/bin/python
echo 3.11 >~/.pyenv/version
echo works >~/.pyenv/versions/3.11/data
PATH=~/.pyenv/shims:/usr/bin:/bin works pyenv '~/.pyenv' tool

# uv tool install: a link in ~/.local/bin, an environment, a Python of uv's own.
top=~/.local/share/uv
program $top/tools/tool/bin/tool "#!$top/tools/tool/bin/python" "$look" "cat $top/tools/tool/data"
interpreter $top/python/cpython-3.12/bin/python3.12
ln -s $top/python/cpython-3.12/bin/python3.12 $top/tools/tool/bin/python
echo works >$top/tools/tool/data
mkdir -p ~/.local/bin
ln -s $top/tools/tool/bin/tool ~/.local/bin/tool
echo canary >$top/tools/neighbour
PATH=~/.local/bin:/usr/bin:/bin works uv '~/.local/share/uv' tool
PATH=~/.local/bin:/usr/bin:/bin run "$sandbox" -- bash -c "ls $top/tools"
[ -z "$out" ] || fail "uv: another command sees the tools: $out"

# A real virtual environment, anywhere, called by its path.
python3 -m venv --without-pip ~/envs/one
program ~/envs/one/bin/tool "#!$HOME/envs/one/bin/python" 'import os, sys' \
  'seen = [p for p in ("/.ssh/id", "/other/notes") if os.path.exists(os.environ["HOME"] + p)]' \
  'print(("there" if seen else "not there") if sys.argv[1:] else "works" if sys.prefix.endswith("/one") else sys.prefix)'
works 'virtual environment' '~/envs' ~/envs/one/bin/tool

# A link in ~/.local/bin to a single file in a folder of versions: the file, and no neighbour.
program ~/.local/share/claude/versions/1.0.7 '#!/bin/bash' "$look" 'ls ~/.local/share/claude/versions | grep -vx 1.0.7; echo works'
echo canary >~/.local/share/claude/versions/1.0.6
ln -s ~/.local/share/claude/versions/1.0.7 ~/.local/bin/claude
PATH=~/.local/bin:/usr/bin:/bin expect_code 0 "$sandbox" -- claude
[ "$out" = works ] || fail "a single file: '$out' $err"
PATH=~/.local/bin:/usr/bin:/bin run "$sandbox" -- claude --look
[ "$out" = 'not there' ] || fail "a single file: the rest of the home: $out"

# Offered read-only: the next run, and the person, find what was installed.
PATH=~/.npm-global/bin:/usr/bin:/bin run "$sandbox" -- bash -c 'echo x >>~/.npm-global/bin/node; rm -f ~/.npm-global/bin/tool; ln -s x ~/.npm-global/bin/new'
[ "$(grep -c 'Read-only file system' <<<"$err")" = 3 ] || fail "what is offered can be written: $err"

# What a run left in the workspace leads nowhere: a link, a script's first line, a folder of PATH.
mkdir -p ~/.private/bin bin
program ~/.private/bin/x '#!/bin/bash' 'echo canary'
ln -s ~/.private/bin/x link
program script "#!$HOME/.private/bin/x"
ln -s ~/.private/bin/x bin/x
for command in ./link ./script "$HOME/shop/link" bin/x; do
  run "$sandbox" -- "$command"
  case $code in
    126 | 127) echo "ok: FS-42 $command leads nowhere" ;;
    *) fail "FS-42 $command: $code '$out' $err" ;;
  esac
done
PATH=~/shop/bin:/usr/bin:/bin run "$sandbox" -- x
[ "$code" = 127 ] || fail "FS-42 a link in a folder of PATH in the workspace: $code '$out'"
run ~/.private/bin/x
[ "$out" = canary ] || fail "FS-42 control: outside it runs"

# Nor does what a run in another project left: a folder of PATH, and a tool that is developed there.
mkdir -p ~/project/.venv ~/project/bin ~/.thing/bin ~/.local/bin
program ~/.thing/bin/p '#!/bin/bash' 'echo canary'
ln -s ~/project/bin/dev ~/.local/bin/dev
cd ~/project || exit 1
expect_code 0 "$sandbox" -- bash -c 'ln -s ~/other .venv/bin && echo "#!$HOME/.thing/bin/p" >bin/dev && chmod +x bin/dev'
cd ~/shop || exit 1
PATH=~/project/.venv/bin:~/.local/bin:/usr/bin:/bin run "$sandbox" -- cat ~/other/notes
[ "$code" = 1 ] || fail "FS-42 a folder of PATH that another run made a link shows: $out"
PATH=~/project/.venv/bin:/usr/bin:/bin run cat ~/project/.venv/bin/notes
[ "$out" = canary ] || fail "FS-42 control: the link that the other run left: $out $err"
PATH=~/.local/bin:/usr/bin:/bin run "$sandbox" -- dev
case $code in 126 | 127) ;; *) fail "FS-42 a first line that another run wrote is followed: $code $out" ;; esac
PATH=~/.local/bin:/usr/bin:/bin run "$sandbox" plan -- dev
grep -q '\.thing' <<<"$out" && fail "FS-42 a first line that another run wrote is followed: $out"
echo "ok: FS-42 what a run in another project left"

# ---- git work trees ------------------------------------------------------------------------------

export GIT_CONFIG_GLOBAL=/dev/null
git=(git -c user.name=t -c user.email=t@example.org)
"${git[@]}" init -q -b main ~/main
"${git[@]}" -C ~/main commit -q --allow-empty -m one
for kind in absolute relative; do
  tree=~/tree-$kind
  "${git[@]}" -C ~/main worktree add -q "$tree"
  cd "$tree" || exit 1
  [ $kind = absolute ] || echo "gitdir: ../main/.git/worktrees/tree-relative" >.git
  expect_code 0 "$sandbox" -- bash -c 'git status --short && echo new >file && git add file &&
    git -c user.name=t -c user.email=t@example.org commit -qm two && git log --oneline | wc -l && git switch -qc side'
  [ "$out" = 2 ] || fail "FS-33 $kind: a commit in a work tree: '$out' $err"
  [ "$(git -C ~/main log --oneline "tree-$kind" | wc -l)" = 2 ] || fail "FS-33 $kind: the commit has not arrived"
  [ "$(git status --porcelain; git branch --show-current)" = side ] || fail "FS-33 $kind: outside it looks otherwise"
  git switch -q "tree-$kind"
  git branch -qD side
  # What git outside believes: settings, hooks, pointers, the other work trees.
  run "$sandbox" -- bash -c 'common=~/main/.git own=$common/worktrees/'"tree-$kind"'
    for file in $common/config $common/hooks/post-commit $common/HEAD $own/commondir $own/gitdir .git; do
      { echo evil >>$file; } 2>&1 | grep -o "[A-Z][a-z-]* file system\|Permission denied\|No such file or directory"
      rm -f $file 2>&1 | grep -q . || [ ! -e $file ] || echo removed $file; done'
  [ "$(grep -c 'file system' <<<"$out")" -ge 5 ] || fail "FS-33 $kind: what git believes can be written: $out $err"
  run "$sandbox" --read-only -- bash -c 'git update-ref refs/heads/evil HEAD; git symbolic-ref HEAD refs/heads/evil; git log --oneline | wc -l'
  after="$out $(git -C ~/main rev-parse -q --verify evil) $(git branch --show-current)"
  [ "$after" = "2  tree-$kind" ] || fail "FS-33 $kind: with --read-only something of the repository is written: $after $err"
done
# Work trees beside each other in a bare repository do not see each other.
"${git[@]}" clone -q --bare ~/main ~/bare
mkdir ~/bare/logs
for name in one two; do "${git[@]}" -C ~/bare worktree add -q -b $name ~/bare/$name; done
echo canary >~/bare/two/.env
cd ~/bare/one || exit 1
expect_code 0 "$sandbox" -- bash -c 'git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m new'
run "$sandbox" -- cat ../two/.env
[ "$code" = 1 ] || fail "FS-33 the other work tree of a bare repository is seen: $out"
rmdir ~/bare/logs 2>/dev/null || mv ~/bare/logs ~/bare/old
run "$sandbox" plan
grep -q 'without a folder for logs' <<<"$out" || fail "FS-33 a repository without logs is not said: $out"
# A folder that a run in another project dressed up as a git folder (forged from both sides).
mkdir -p ~/victim ~/thief
echo canary >~/victim/.env
cd ~/victim || exit 1
expect_code 0 "$sandbox" -- bash -c 'mkdir -p objects refs worktrees/w; echo ../.. >worktrees/w/commondir; echo ~/thief/.git >worktrees/w/gitdir; touch HEAD config'
cd ~/thief || exit 1
expect_code 0 "$sandbox" -- bash -c 'echo "gitdir: $HOME/victim/worktrees/w" >.git'
run "$sandbox" -- cat ~/victim/.env
[ "$code" = 1 ] || fail "FS-33 a forged git folder shows: $out"
# A pointer that nobody answers is not believed.
"${git[@]}" init -q ~/private
"${git[@]}" -C ~/private commit -q --allow-empty -m secret
mkdir ~/forged && cd ~/forged || exit 1
for pointer in "$HOME/private/.git" "$HOME/main/.git/worktrees/tree-absolute" "$HOME/.ssh"; do
  echo "gitdir: $pointer" >.git
  run "$sandbox" -- ls "$pointer"
  [ "$code" != 0 ] || fail "FS-33 a forged pointer shows $pointer: $out"
  run "$sandbox" plan
  grep -q "forged/.git .*leads to a git folder" <<<"$out" || fail "FS-33 the plan does not say that the pointer is ignored: $out"
  run ls "$pointer"
  [ "$code" = 0 ] || fail "FS-33 control: outside it can be listed"
done
echo "ok: FS-33 pointers that nobody answers"
finish
