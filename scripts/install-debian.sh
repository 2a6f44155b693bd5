#!/bin/sh
# Installs the Debian packages named that are missing, and says which one apt is at. Without root or sudo it says what
# to run, and stops.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
missing=
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo=sudo
else
  echo "setup: Debian packages are missing and this user can not install them. Run this as root, then try again:" >&2
  echo "  apt-get update && $install" >&2
  exit 1
fi

steps_of=setup
. "$here/steps.sh"
log=$(mktemp)
trap 'rm -f "$log" "$log.failed" "$steps_file"' EXIT
step_say "Debian packages to install:$missing"
step 'apt-get update'
$sudo apt-get update -qq >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
step_done

# apt's own words: "dlstatus:1:12.5:Retrieving file 3 of 40" and "pmstatus:clang-19:40.2:Unpacking clang-19 (amd64)".
# They have the pipe to themselves: a package's script whose output met a full pipe would fail. sudo passes no third
# file on.
step 'Debian packages, percent' quietly
{
  $sudo sh -c 'exec env DEBIAN_FRONTEND=noninteractive "$@" 3>&1 >&2' sh $install \
    -o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 2>"$log" ||
    touch "$log.failed"
} |
  while IFS=: read -r kind _ percent what; do
    case $kind in
    dlstatus) step_name='Debian packages, percent fetched' && step_at "${percent%%.*}" 100 "$what" ;;
    pmstatus)
      [ "$step_name" = 'Debian packages, percent installed' ] || step_tenth=-1
      step_name='Debian packages, percent installed'
      step_at "${percent%%.*}" 100 "$what"
      ;;
    esac
  done
if [ -e "$log.failed" ]; then
  cat "$log" >&2
  exit 1
fi
