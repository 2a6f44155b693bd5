#!/bin/sh
# Stage: test. Fetches Lua 5.4 with its own test suite, which Debian's source leaves out, from the source of the Python
# package lupa, which carries Lua's repository: fetch-lua.sh FOLDER. Leaves it in FOLDER/source.
set -eu
version=2.8
mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ ! -d "$folder/source" ] || exit 0
python3 -m pip --version >/dev/null 2>&1 || sh "$(dirname "$0")/need-packages.sh" python3-pip
python3 -m pip download -q --no-deps --no-binary lupa -d "$folder" "lupa==$version" >"$folder/download.log" 2>&1 ||
  { tail -n 5 "$folder/download.log" >&2; exit 1; }
rm -rf "$folder/unpacked"
mkdir "$folder/unpacked"
tar xf "$folder/lupa-$version.tar.gz" -C "$folder/unpacked" --strip-components 3 "lupa-$version/third-party/lua54"
mv "$folder/unpacked" "$folder/source"
