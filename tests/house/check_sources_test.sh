#!/bin/sh
# tools/check_file_size and tools/check_banned accept this tree and refuse planted mistakes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failures=0

# expect STATUS OUTPUT TOOL: TOOL on the copy ends with STATUS and OUTPUT.
expect() {
  status=0
  output=$("$root/tools/$3" "$copy") || status=$?
  if [ "$status" = "$1" ] && [ "$output" = "$2" ]; then
    echo "ok: $2"
  else
    printf 'not ok: status %s\n  wanted: %s\n  got: %s\n' "$status" "$2" "$output"
    failures=1
  fi
}

# file PATH LINE: a file of the copy with one line.
file() {
  mkdir -p "$copy/$(dirname "$1")"
  printf '%s\n' "$2" >"$copy/$1"
}

"$root/tools/check_file_size" "$root" || failures=1
"$root/tools/check_banned" "$root" || failures=1

mkdir "$copy/src" "$copy/tools"
expect 1 'check_file_size: no source file found' check_file_size
expect 1 'check_banned: no source file found' check_banned

awk 'BEGIN { for (i = 0; i < 600; i++) print "//" }' >"$copy/src/long.cc"
expect 0 'check_file_size: 1 files within 600 lines' check_file_size
echo '//' >>"$copy/src/long.cc"
expect 1 'src/long.cc: 601 lines, the limit is 600' check_file_size
rm "$copy/src/long.cc"
{ echo '#!/bin/sh'; awk 'BEGIN { for (i = 0; i < 600; i++) print "#" }'; } >"$copy/tools/script"
expect 1 'tools/script: 601 lines, the limit is 600' check_file_size

file src/host/a.cc '  auto p = realpath (name, nullptr);'
expect 1 'src/host/a.cc:1: realpath is banned: open the path and work on the descriptor' check_banned
file src/host/a.cc '  std::filesystem::remove_all(p);'
expect 1 'src/host/a.cc:1: remove_all is banned: remove by descriptor; a name can be swapped for a symlink' check_banned
file src/host/a.cc '  if (const char* v = ::getenv("HOME")) {'
expect 1 'src/host/a.cc:1: getenv is banned: take the value from the invocation' check_banned
file src/host/a.cc '  MySystem(1); file_system(2);  // system("no")  "popen(x)"'
file src/sys/env.cc '  return secure_getenv(name);'
file src/host/a_test.cc '  system("true");'
expect 0 'check_banned: 2 files call no banned function' check_banned
exit $failures
