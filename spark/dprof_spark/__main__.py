"""python -m dprof_spark KERNEL DATASET [--master URL]: rows of JSON on standard output."""

import argparse
import shutil
import sys

from .dataset import DatasetError, read_references


def main():
    parser = argparse.ArgumentParser(prog="dprof_spark", description="A kernel over a dataset, on Apache Spark.")
    parser.add_argument("kernel", help="variables, pointers, missing-lines, phases, working-set, shared-lines")
    parser.add_argument("dataset", help="a folder that dprof export --to dataset made")
    parser.add_argument("--master", default="local[*]", help="of Spark (default: local[*])")
    asked = parser.parse_args()
    if shutil.which("java") is None:
        return refuse("there is no Java, which Spark needs", "apt-get install openjdk-17-jre-headless")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return refuse("there is no PySpark", "pip install pyspark")
    from .kernels import KERNELS

    if asked.kernel not in KERNELS:
        return refuse(f"there is no kernel '{asked.kernel}'", f"there are {', '.join(KERNELS)}")
    job, columns = KERNELS[asked.kernel]
    builder = SparkSession.builder.appName(f"dprof {asked.kernel}").master(asked.master)
    spark = builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR").getOrCreate()
    try:
        for row in job(read_references(spark, asked.dataset, columns)).toJSON().collect():
            print(row)
    except DatasetError as error:
        return refuse(str(error), "make it anew: dprof export RUN.dptrace --to dataset -o FOLDER")
    finally:
        spark.stop()
    return 0


def refuse(what, hint):
    print(f"dprof_spark: {what}\nhint: {hint}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
