#!/bin/sh
# Stage: test. Installs the Debian packages named, if they are missing; without root or sudo says what to run and stops.
set -eu
missing=
for package in "$@"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then sudo=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo=sudo
else
  echo "Debian packages are missing and this user can not install them. Run this as root, then try again:" >&2
  echo "  apt-get update && $install" >&2
  exit 1
fi
echo "installing Debian packages:$missing" >&2
$sudo apt-get update -qq >&2
DEBIAN_FRONTEND=noninteractive $sudo $install >&2
