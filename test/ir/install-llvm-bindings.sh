#!/bin/sh
# Stage: test. LLVM 14's IR builder for test/ir: Debian's llvm-14-dev and cmake, then the npm package llvm-bindings,
# built here (some minutes). A workspace of its own, which nothing else installs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/../real/need-packages.sh" llvm-14-dev cmake libc6-dev libstdc++-12-dev zlib1g-dev
cd "$here/llvm-14"
[ ! -f node_modules/.built ] || [ package-lock.json -nt node_modules/.built ] || exit 0
npm ci --no-audit --no-fund
touch node_modules/.built
