#!/bin/sh
# tools/check_layers accepts this tree and refuses four planted mistakes, each with its message.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failures=0

"$root/tools/check_layers" "$root" || failures=1

# refuses FILE TEXT MESSAGE: a copy of the tree plus FILE is refused with exactly MESSAGE.
refuses() {
  rm -rf "$copy/src"
  cp -R "$root/src" "$copy/src"
  mkdir -p "$copy/$(dirname "$1")"
  printf '%s\n' '#include <sys/mount.h>' "$2" >"$copy/$1"
  status=0
  output=$("$root/tools/check_layers" "$copy") || status=$?
  if [ "$status" = 1 ] && [ "$output" = "$3" ]; then
    echo "ok: $3"
  else
    printf 'not ok: status %s\n  wanted: %s\n  got: %s\n' "$status" "$3" "$output"
    failures=1
  fi
}

refuses src/base/planted.cc '#include "plan/plan.h"' \
  'src/base/planted.cc:2: base (floor 0) may not include plan (floor 2)'
refuses src/policy/planted_test.cc '#include "plan/plan.h"' \
  'src/policy/planted_test.cc:2: policy (floor 1) may not include plan (floor 2)'
refuses src/policy/planted.h ' #  include "sys/fd.h"' \
  'src/policy/planted.h:2: policy (floor 1) may not include sys (floor 1)'
refuses src/host/planted.cc '#include "engine/engine.h"' \
  'src/host/planted.cc:2: host (floor 3) may not include engine (floor 3)'
refuses src/inner/planted.cc '#include "policy/keys.h"' \
  'src/inner/planted.cc:2: inner (only base sys wire) may not include policy (floor 1)'
refuses src/misc/planted.cc '#include "base/text.h"' \
  'src/misc/planted.cc: folder misc is not in the table of tools/check_layers'
refuses src/plan/planted.cc '#include "misc/text.h"' \
  'src/plan/planted.cc:2: folder misc is not in the table of tools/check_layers'
refuses src/plan/planted.cc '#include "../cli/run.h"' \
  'src/plan/planted.cc:2: folder .. is not in the table of tools/check_layers'
refuses src/plan/planted.cc '#include "plan.h"' \
  'src/plan/planted.cc:2: write "FOLDER/plan.h", not "plan.h"'

rm -rf "$copy/src"
mkdir "$copy/src"
if "$root/tools/check_layers" "$copy" >/dev/null; then
  echo 'not ok: an empty tree is accepted'
  failures=1
fi
exit $failures
