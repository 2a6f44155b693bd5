#!/bin/sh
# Everything dprof needs on a Debian 12 machine with Node 20: Debian packages, npm packages, the native build, the
# TypeScript build. Quick when it is already done. Each step says how far it is, and at the end how long it took.
#   --build-only  leaves the package managers alone
#   --demo        all but the collectors of hardware samples, and SQLite's shell, which scripts/demo.sh records
#   --check       only what npm run check asks for: npm packages and clang-format; nothing is built
#   --tests       what the tests ask for too: type checks, a browser, Graphviz, pahole, perf, sanitizers, valgrind,
#                 three allocators, OpenMP, formatters, two benchmark libraries; flang, gobjc and rustc, which are
#                 120 MB to fetch and 1.2 GB on disk; Java and PySpark, which are 500 MB to fetch
set -eu
cd "$(dirname "$0")/.."
what=${1:-}
steps_of=setup
. scripts/steps.sh
work=$(mktemp -d)
trap 'rm -rf "$work" "$steps_file"' EXIT

packages="clang-19 llvm-19-dev lld-19 cmake ninja-build liblz4-dev libdw-dev nlohmann-json3-dev binutils libc6-dev
  libstdc++-12-dev util-linux xz-utils"
case $what in
--demo) packages="$packages make tcl" ;;
--tests)
  packages="$packages autoconf catch2 ccache chromium clang-format-19 clang-tidy-19 dwarves flang-19 fonts-dejavu-core
    gobjc graphviz libbenchmark-dev libclang-rt-19-dev libgoogle-perftools-dev libjemalloc2 libmimalloc2.0 liburing-dev
    libomp-19-dev libtcmalloc-minimal4 linux-perf make openjdk-17-jre-headless python3-venv rustc tcl valgrind"
  ;;
esac

if [ "$what" = --check ]; then
  step 'npm packages' quietly
  sh scripts/install-npm.sh
  step_done
  step 'Debian packages' quietly
  sh scripts/install-debian.sh clang-format-19
  step_done
  exit 0
fi

# Beside the native build, which has the line that changes.
javascript() {
  steps_live=false
  if [ "$what" != --build-only ]; then
    step 'npm packages' quietly
    sh scripts/install-npm.sh && step_done || return 1
  fi
  touch "$work/npm"
  step 'TypeScript to JavaScript' quietly
  step_at 1 2 'the commands'
  node scripts/build-dist.mjs >&2 || return 1
  step_at 2 2 'the page of dprof html'
  node scripts/bundle-page.mjs >&2 && step_done || return 1
  if [ "$what" = --tests ]; then
    step 'TypeScript: types (tsc)' quietly
    step_at 1 2 'all but the page'
    npx --no-install tsc -p . --noEmit >&2 || return 1
    step_at 2 2 'the page'
    npx --no-install tsc -p page >&2 && step_done || return 1
  fi
}

# native NAME [TARGET...]: ninja, with its own count of how far it is.
native() {
  step "$1" quietly
  shift
  rm -f build/failed
  { NINJA_STATUS='[%f/%t] ' $beside cmake --build build ${1:+--target} "$@" 2>&1 || touch build/failed; } |
    tee build/build.log |
    while read -r line; do
      case $line in
      '['*/*']'*)
        count=${line%%]*} text=${line#*] }
        count=${count#[}
        step_at "${count%/*}" "${count#*/}" "${text#Building CXX object }"
        ;;
      esac
    done
  if [ -e build/failed ]; then
    grep -v '^\[[0-9/]*\] [BL]' build/build.log >&2
    step_say 'the native build failed; see above'
    exit 1
  fi
  step_done
}

javascript &
javascript=$!
# What waits for nothing but the compiler; the npm packages hold headers that the native build reads.
if [ "$what" != --build-only ]; then
  step 'Debian packages' quietly
  sh scripts/install-debian.sh $packages || { kill "$javascript" 2>/dev/null || true; exit 1; }
  step_done
fi
sqlite= rest= beside=
if [ "$what" = --demo ]; then
  sh scripts/build-demo.sh source &
  sqlite=$!
fi
if [ ! -f build/build.ninja ]; then
  step 'native build: configure (cmake)'
  cmake -S . -B build -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    >"$work/configure.log" 2>&1 || {
    cat "$work/configure.log" >&2
    rm -f build/CMakeCache.txt build/build.ninja
    step_say 'cmake failed; see above'
    exit 1
  }
  mv "$work/configure.log" build/configure.log
  step_done
fi
while [ ! -e "$work/npm" ] && kill -0 "$javascript" 2>/dev/null; do sleep 0.2; done
if [ "$what" = --demo ]; then
  # SQLite is two files, which take a core longest: it has one to itself, and the native build what is left.
  native 'native build: the compiler' dprof_cc dprof_static dprof_static_new dprof_nothing
  wait "$sqlite" || exit 1
  sh scripts/build-demo.sh program &
  sqlite=$! beside='nice -n 15'
  rest='dprof_record dprof_engine dprof_code_of_files dprof_probe dprof_allocations'
fi
spark=
if [ "$what" = --tests ]; then
  sh scripts/install-spark.sh >"$work/spark.log" 2>&1 &
  spark=$!
fi
native 'native build' $rest
if [ -n "$sqlite" ]; then
  step "SQLite's shell, compiled beside the native build: its last part" quietly
  step_wait "$sqlite" || exit 1
  step_done
fi
if [ -n "$spark" ]; then
  step 'PySpark, beside the native build: its last part' quietly
  step_wait "$spark" ||
    step_say "PySpark: not installed, and tests of spark/ are skipped: $(tail -n 1 "$work/spark.log")"
  step_done
fi
step 'TypeScript, beside the native build: its last part' quietly
step_wait "$javascript" || { step_say 'the TypeScript build failed; see above'; exit 1; }
step_done
steps_summary
