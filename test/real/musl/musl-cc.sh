#!/bin/sh
# Stage: test. The compiler of a build whose C library records: one word, for makefiles.
exec "$(dirname "$0")/../../../bin/dprof-cc" --libc=musl "$@"
