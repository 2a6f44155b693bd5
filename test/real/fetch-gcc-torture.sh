#!/bin/sh
# Stage: test. Fetches gcc's torture tests out of Debian's package gcc-12-source: fetch-gcc-torture.sh FOLDER. Leaves
# them in FOLDER/execute.
set -eu
mkdir -p "$1"
cd "$1"
[ ! -d execute ] || exit 0
apt-get -qq -o APT::Sandbox::User="$(id -un)" download gcc-12-source
dpkg-deb --fsys-tarfile gcc-12-source_*.deb | tar xO --wildcards './usr/src/gcc-12/gcc-12*.tar.xz' >gcc.tar.xz
rm -rf unpacked
mkdir unpacked
tar xJf gcc.tar.xz -C unpacked --wildcards --strip-components 5 '*/gcc/testsuite/gcc.c-torture/execute*'
rm gcc.tar.xz gcc-12-source_*.deb
mv unpacked execute
