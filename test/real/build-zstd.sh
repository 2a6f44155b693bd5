#!/bin/sh
# Stage: test. Debian's zstd source -> its library linked to a program of ours: build-zstd.sh COMPILER PROGRAM SOURCE
# [FLAG...]. Without the parts in assembly, so that all that it does is compiled.
set -eu
compiler=$1 program=$2 source=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/libzstd
sh "$here/../../scripts/fetch-debian-source.sh" libzstd "$folder"
cd "$folder/source/lib"
"$compiler" -O2 -w -DZSTD_DISABLE_ASM "$@" -I. common/*.c compress/*.c decompress/*.c "$source" -o "$program"
