#!/bin/sh
# Stage: test. Debian's FANN source (neural networks) -> its library linked to a program of ours: build-fann.sh COMPILER
# PROGRAM SOURCE [FLAG...].
set -eu
compiler=$1 program=$2 source=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/libfann
sh "$here/need-packages.sh" xz-utils
sh "$here/../../scripts/fetch-debian-source.sh" libfann "$folder"
cd "$folder/source/src"
"$compiler" -O2 -w "$@" -I. -Iinclude floatfann.c "$source" -o "$program" -lm
