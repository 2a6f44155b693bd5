#!/bin/sh
# PySpark for the tests of spark/, in an environment of its own: build/spark. Nothing else needs it.
set -eu
cd "$(dirname "$0")/.."
python=build/spark/bin/python
if [ -x $python ] && $python -c 'import pyspark' 2>/dev/null; then exit 0; fi
python3 -m venv build/spark
$python -m pip install --quiet --disable-pip-version-check 'pyspark>=4,<5'
