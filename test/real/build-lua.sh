#!/bin/sh
# Stage: test. Debian's Lua source -> its interpreter, with nothing changed but the compiler: build-lua.sh COMPILER
# PROGRAM [FLAG...].
set -eu
compiler=$1 program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/lua5.4
sh "$here/../../scripts/fetch-debian-source.sh" lua5.4 "$folder"
cd "$folder/source/src"
sources=$(ls ./*.c | grep -v luac.c)
"$compiler" -O2 -w -DLUA_USE_POSIX "$@" $sources -o "$program" -lm
