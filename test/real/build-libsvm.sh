#!/bin/sh
# Stage: test. Debian's LIBSVM source -> svm-train, with nothing changed but the compiler: build-libsvm.sh COMPILER
# PROGRAM [FLAG...].
set -eu
compiler=$1 program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
folder=${DPROF_REAL:-$here/../../build/real}/libsvm
sh "$here/need-packages.sh" xz-utils
sh "$here/../../scripts/fetch-debian-source.sh" libsvm "$folder"
cd "$folder/source"
"$compiler" -O2 -w "$@" -x c++ svm.cpp svm-train.c -o "$program"
