#!/usr/bin/env bash
# Tests cmake/WriteCommit.cmake on a small checkout of its own.
#   write_commit_test.sh CMAKE SCRIPT
set -euo pipefail
cmake=$1 script=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A hook of Git would lead its commands to another checkout.
unset $(git rev-parse --local-env-vars)
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test

# expect PATTERN WHY: the header must hold a commit of this form.
expect() {
    "$cmake" -D SOURCE="$work/tree" -D OUTPUT="$work/commit.h" -P "$script"
    if grep -qxE "#define CONVOY_COMMIT \"$1\"" "$work/commit.h"; then return; fi
    echo "$2: expected $1, found: $(cat "$work/commit.h")"
    exit 1
}

mkdir -p "$work/tree/lib"
echo one >"$work/tree/lib/a.cpp"
expect unknown "a folder that is no checkout"
git -C "$work/tree" init -q
expect unknown "a checkout without a commit"
git -C "$work/tree" add .
git -C "$work/tree" commit -q -m first
head=$(git -C "$work/tree" rev-parse --short=12 HEAD)
expect "$head" "a clean checkout"

touch -d '2001-01-01' "$work/commit.h"
expect "$head" "the same commit again"
[ "$(date -r "$work/commit.h" +%Y)" = 2001 ] || { echo "the header was written again without a change"; exit 1; }

echo page >"$work/tree/README.md"
expect "$head" "a new file that is no part of the program"
echo two >"$work/tree/lib/a.cpp"
expect "$head-dirty-[0-9a-f]{8}" "a changed file"
changed=$(cat "$work/commit.h")
echo three >"$work/tree/lib/a.cpp"
expect "$head-dirty-[0-9a-f]{8}" "another change"
[ "$changed" != "$(cat "$work/commit.h")" ] || { echo "two different changes have one name"; exit 1; }
git -C "$work/tree" checkout -q lib/a.cpp
echo new >"$work/tree/lib/b.cpp"
expect "$head-dirty-[0-9a-f]{8}" "a new file of the program"
changed=$(cat "$work/commit.h")
echo newer >"$work/tree/lib/b.cpp"
expect "$head-dirty-[0-9a-f]{8}" "a new file of the program, changed"
[ "$changed" != "$(cat "$work/commit.h")" ] || { echo "two contents of a new file have one name"; exit 1; }

# An archive that was unpacked inside another checkout has no commit of its own.
mkdir -p "$work/outer"
git -C "$work/outer" init -q
mv "$work/tree" "$work/outer/tree"
rm -rf "$work/outer/tree/.git"
git -C "$work/outer" add .
git -C "$work/outer" commit -q -m outer
ln -s outer/tree "$work/tree"
expect unknown "a folder inside another checkout"
