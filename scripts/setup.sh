#!/bin/sh
# Everything dprof needs on a Debian 12 machine with Node 20: Debian packages, npm packages, the native build, the TypeScript build.
# Quick when it is already done. --build-only leaves the package managers alone.
# --tests: what the tests ask for too (a browser, Graphviz, pahole, perf, sanitizers, valgrind, three allocators; flang, gobjc and rustc, which are 120 MB to fetch and 1.2 GB on disk).
set -eu
cd "$(dirname "$0")/.."

packages="clang-19 llvm-19-dev lld-19 cmake ninja-build liblz4-dev libdw-dev binutils libc6-dev libstdc++-12-dev util-linux libgoogle-perftools-dev ccache autoconf make xz-utils"
[ "${1:-}" != --tests ] || packages="$packages chromium dwarves flang-19 fonts-dejavu-core gobjc graphviz libclang-rt-19-dev libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4 linux-perf rustc valgrind"

missing=
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ] && [ "${1:-}" != --build-only ]; then
  install="apt-get install -y --no-install-recommends$missing"
  if [ "$(id -u)" = 0 ]; then sudo=
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo='sudo'
  else
    echo "setup: Debian packages are missing and this user can not install them. Run this as root, then try again:" >&2
    echo "  apt-get update && $install" >&2
    exit 1
  fi
  echo "setup: installing Debian packages:$missing" >&2
  $sudo apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive $sudo $install >&2
fi

if [ "${1:-}" != --build-only ] && { [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; }; then
  echo "setup: installing npm packages (npm ci)" >&2
  npm ci --no-audit --no-fund >&2
  touch node_modules/.package-lock.json
fi

if [ ! -f build/build.ninja ]; then
  echo "setup: configuring the native build" >&2
  cmake -S . -B build -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 >build.log 2>&1 ||
    { cat build.log >&2; rm -rf build; echo "setup: cmake failed; see above" >&2; exit 1; }
  mv build.log build/configure.log
fi
if ! cmake --build build >build/build.log 2>&1; then
  cat build/build.log >&2
  echo "setup: the native build failed; see above" >&2
  exit 1
fi
npx --no-install tsc -p .
npx --no-install tsc -p page
node scripts/bundle-page.mjs
