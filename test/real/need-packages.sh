#!/bin/sh
# Stage: test. Installs the Debian packages named, if they are missing; without root or sudo says what to run and stops.
exec sh "$(dirname "$0")/../../scripts/install-debian.sh" "$@"
