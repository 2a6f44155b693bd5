"""The kernels of examples/kernels as jobs on DataFrames: the same answers, on as many machines as there are."""

from pyspark.sql import functions as F

MOST = 20


def variables(refs):
    """Accesses to each variable in each second of 10^9 instructions: DINAMITE's first listing."""
    named = refs.where(F.col("variable").isNotNull())
    by = named.groupBy(F.floor(F.col("time") / 1e9).alias("second"), "variable").count()
    return by.orderBy(F.desc("count"), "second", "variable").limit(MOST)


def pointers(refs):
    """Who touches which address, and where: DINAMITE's third listing."""
    by = refs.groupBy("address", "thread", "variable", "file", "line").count()
    return by.orderBy(F.desc("count"), "address", "thread").limit(MOST)


def missing_lines(refs):
    """The lines of the source whose misses cost most."""
    by = refs.where(F.col("miss").isNotNull()).groupBy("function", "file", "line", "miss")
    return by.agg(F.sum("latency").alias("cycles")).orderBy(F.desc("cycles"), "line").limit(MOST)


def phases(refs):
    """Misses of the L1 in each 50,000 instructions."""
    missed = refs.where(F.col("miss").isNotNull())
    phase = (F.floor(F.col("time") / 50_000) * 50_000).alias("time")
    return missed.groupBy(phase).agg(F.count("*").alias("misses")).orderBy("time")


def working_set(refs):
    """Bytes of cache lines that each type touched."""
    line = F.floor(F.col("address") / 64)
    by = refs.groupBy(F.coalesce("type", F.lit("(none)")).alias("type"))
    return by.agg((64 * F.countDistinct(line)).alias("bytes")).orderBy(F.desc("bytes"), "type")


def shared_lines(refs):
    """Cache lines that several threads used, one of them writing, by what they used there."""
    line = F.floor(F.col("address") / 64)
    by_line = refs.groupBy(line.alias("at")).agg(
        F.countDistinct("thread").alias("threads"),
        F.max((F.col("kind") != "load").cast("int")).alias("written"),
    )
    shared = by_line.where((F.col("threads") > 1) & (F.col("written") == 1)).select("at")
    used = refs.withColumn("at", line).join(shared, "at")
    by = used.groupBy("type", "field", "variable").agg(F.countDistinct("at").alias("lines"), F.count("*").alias("refs"))
    return by.orderBy(F.desc("refs"), "type", "field", "variable").limit(MOST)


# By the name that a person types: the job, and the columns that it reads.
KERNELS = {
    "variables": (variables, ["time", "variable"]),
    "pointers": (pointers, ["address", "thread", "variable", "file", "line"]),
    "missing-lines": (missing_lines, ["function", "file", "line", "miss", "latency"]),
    "phases": (phases, ["time", "miss"]),
    "working-set": (working_set, ["address", "type"]),
    "shared-lines": (shared_lines, ["address", "thread", "kind", "type", "field", "variable"]),
}
