"""python -m dprof_spark KERNEL DATASET, or KERNEL -- COMMAND: rows of JSON on standard output."""

import argparse
import functools
import shutil
import sys

from .dataset import DatasetError, check_dataset, read_references

USAGE = "dprof_spark KERNEL DATASET [options]\n       dprof_spark KERNEL [options] -- dprof stream RUN.dptrace ..."


def parse(words):
    parser = argparse.ArgumentParser(usage=USAGE, description="A kernel over references, on Apache Spark.")
    parser.add_argument("kernel", help="docs/datasets.md has their names")
    parser.add_argument("dataset", nargs="?", help="a folder that dprof export --to dataset made")
    parser.add_argument("--master", default="local[*]", help="of Spark (default: local[*])")
    parser.add_argument("--second", type=int, help="instructions in a second of variables (default: 10^9)")
    at = words.index("--") if "--" in words else len(words)
    asked, command = parser.parse_intermixed_args(words[:at]), words[at + 1 :]
    if (asked.dataset is None) == (command == []):
        parser.error("name a dataset, or a command after --")
    if asked.second is not None and (asked.second < 1 or asked.kernel != "variables"):
        parser.error("--second is for variables, and 1 at least")
    return asked, command


def main():
    asked, command = parse(sys.argv[1:])
    if shutil.which("java") is None:
        return refuse("there is no Java, which Spark needs", "apt-get install openjdk-17-jre-headless")
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return refuse("there is no PySpark", "pip install pyspark")
    from .kernels import KERNELS
    from .live import LIVE, LiveError

    kernels = LIVE if command else KERNELS
    if asked.kernel not in kernels:
        what = f"there is no kernel '{asked.kernel}'{' over references as they come' if command else ''}"
        return refuse(what, f"there are {', '.join(kernels)}")
    job, columns = KERNELS[asked.kernel]
    if asked.second is not None:
        job = functools.partial(job, second=asked.second)
    try:
        rows = ask_live(asked, job, columns, command) if command else ask_dataset(asked, job, columns)
    except (DatasetError, LiveError) as error:
        return refuse(str(error), error.hint)
    for row in rows:
        print(row)
    return 0


# What is wrong with a dataset or a command is said before Spark starts, which takes seconds.


def ask_dataset(asked, job, columns):
    check_dataset(asked.dataset, columns)
    spark = start(asked)
    try:
        return job(read_references(spark, asked.dataset, columns)).toJSON().collect()
    finally:
        spark.stop()


def ask_live(asked, job, columns, command):
    from .live import count_live, read_first, started

    with started(command) as process:
        first = read_first(process, columns)
        spark = start(asked)
        try:
            # Each batch of a stream has so many tasks for what it adds up: 200, if nobody says.
            spark.conf.set("spark.sql.shuffle.partitions", spark.sparkContext.defaultParallelism)
            return count_live(spark, job, columns, process, first)
        finally:
            spark.stop()


def start(asked):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(f"dprof {asked.kernel}").master(asked.master)
    builder = builder.config("spark.sql.streaming.forceDeleteTempCheckpointLocation", "true")
    return builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR").getOrCreate()


def refuse(what, hint):
    print(f"dprof_spark: {what}\nhint: {hint}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
