"""run_kernels.py DATASET KERNEL ...: a line for each kernel, its rows as a list. Starting Spark is most of a job."""

import json
import sys

from dprof_spark.dataset import read_references
from dprof_spark.kernels import KERNELS
from pyspark.sql import SparkSession

dataset, *names = sys.argv[1:]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
builder = builder.config("spark.sql.shuffle.partitions", 4).config("spark.ui.showConsoleProgress", "false")
spark = builder.config("spark.log.level", "ERROR").getOrCreate()
for name in names:
    job, columns = KERNELS[name]
    rows = job(read_references(spark, dataset, columns)).toJSON().collect()
    print(json.dumps([json.loads(row) for row in rows]))
spark.stop()
