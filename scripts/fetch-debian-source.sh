#!/bin/sh
# Stage: test. Fetches a Debian source package with apt and unpacks its upstream part: fetch-debian-source.sh PACKAGE
# FOLDER. The machine's own sources stay as they are: the deb-src line, lists and archives live in FOLDER. What is said
# meanwhile is in FOLDER/fetch.log; its end is shown if something fails.
set -eu
package=$1
mkdir -p "$2/apt/lists/partial" "$2/apt/archives/partial"
folder=$(cd "$2" && pwd)
[ -d "$folder/source" ] && exit 0
exec 3>&2 >"$folder/fetch.log" 2>&1
trap '[ $? -eq 0 ] || tail -n 5 "$folder/fetch.log" >&3' EXIT

# The archive that this machine already installs from.
words='$(REPO_URI) $(CODENAME) $(ORIGIN) $(LABEL) $(COMPONENT)'
archive=$(apt-get indextargets --format "$words" 'Created-By: Packages' 2>/dev/null |
  awk '$3 == "Debian" && $4 == "Debian" && $5 == "main" && $2 !~ /-/ { print $1, $2; exit }')
[ -n "$archive" ] || { echo "$0: apt knows no Debian archive here; run apt-get update first" >&2; exit 1; }
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive main" >"$folder/apt/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::lists="$folder/apt/lists" \
    -o Dir::Cache="$folder/apt" -o APT::Sandbox::User="$(id -un)" "$@"
}
cd "$folder/apt"
apt update
apt source --download-only --tar-only "$package"
rm -rf "$folder/unpacked"
mkdir "$folder/unpacked"
tar xf "$(ls "$package"_*.orig.tar.* | grep -v "[.]asc$" | head -n 1)" -C "$folder/unpacked" --strip-components 1
mv "$folder/unpacked" "$folder/source"
