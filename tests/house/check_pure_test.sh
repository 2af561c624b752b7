#!/bin/bash
# tools/check_pure accepts the pure libraries of this build and refuses archives with a planted call.
# Usage: check_pure_test.sh BUILD_DIR COMPILER
set -euo pipefail
check=$(cd "$(dirname "$0")/../.." && pwd)/tools/check_pure
build=$1
compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

"$check" "$build" || failures=1

# archive NAME CODE: NAME.a with one object NAME.cc.o made of CODE.
archive() {
  printf '%s\n' "$2" >"$work/$1.cc"
  (cd "$work" && "$compiler" -std=c++20 -c "$1.cc" -o "$1.cc.o" && ar rc "$1.a" "$1.cc.o")
}

# refuses NAME SYMBOL CODE: an archive with CODE is refused because of SYMBOL.
refuses() {
  local output status=0
  archive "$1" "$3"
  output=$("$check" "$work/$1.a" 2>&1) || status=$?
  if [ "$status" = 1 ] && grep -q "^$1.a($1.cc.o): $2.* is not pure\$" <<<"$output"; then
    echo "ok: $2 in $1 is refused"
  else
    printf 'not ok: %s in %s: status %s\n%s\n' "$2" "$1" "$status" "$output"
    failures=1
  fi
}

refuses planted open '#include <fcntl.h>
int F(const char* p) { return open(p, O_RDONLY); }'
refuses large open64 '#define _FILE_OFFSET_BITS 64
#include <fcntl.h>
int F(const char* p) { return open(p, O_RDONLY); }'
refuses environment getenv '#include <cstdlib>
const char* F() { return getenv("HOME"); }'
refuses stream 'std::basic_ifstream' '#include <fstream>
bool F(const char* p) { return std::ifstream(p).good(); }'
refuses disk 'std::filesystem::' '#include <filesystem>
bool F(const char* p) { return std::filesystem::exists(p); }'
refuses clock 'std::chrono::.*_clock::now' '#include <chrono>
auto F() { return std::chrono::system_clock::now(); }'
# The exception for toml.cc.o covers streams, not a plain open.
refuses toml open '#include <fcntl.h>
int F(const char* p) { return open(p, O_RDONLY); }'

archive pure '#include <string>
std::string F(const std::string& s) { return s + "/x"; }'
"$check" "$work/pure.a" || failures=1

archive silent 'int F() { return 1; }'
if "$check" "$work/silent.a" || "$check" "$work/missing.a" 2>/dev/null; then
  echo 'not ok: an archive in which nothing can be checked is accepted'
  failures=1
fi
exit $failures
