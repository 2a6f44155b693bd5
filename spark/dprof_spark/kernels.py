"""The kernels of examples/kernels as jobs on DataFrames: the same answers, on as many machines as there are. What moves
over the network is counts, unless a job says more."""

from pyspark.sql import Window
from pyspark.sql import functions as F

MOST = 20
SECOND = 1_000_000_000


def top(counts, *names, by="count"):
    """The largest first; equals by their names, as `top` of the kernels in TypeScript has them: as JSON."""
    key = F.to_json(F.struct(*names), {"ignoreNullFields": "false"})
    return counts.select(*names, by).orderBy(F.desc(by), key).limit(MOST)


def count_by(refs, *names):
    return top(refs.groupBy(*names).count(), *names)


def variables(refs, second=SECOND):
    """Accesses to each variable in each second of 10^9 instructions: DINAMITE's first listing."""
    named = refs.where(F.col("variable").isNotNull())
    return count_by(named.withColumn("second", F.expr(f"time div {second}")), "second", "variable")


def pointers(refs):
    """Who touches which address, and where: DINAMITE's third listing."""
    return count_by(refs, "address", "thread", "variable", "file", "line")


def missing_lines(refs):
    """The lines of the source whose misses cost most."""
    where = ["function", "file", "line", "miss"]
    by = refs.where(F.col("miss").isNotNull()).groupBy(*where).agg(F.sum("latency").alias("cycles"))
    return top(by, *where, by="cycles")


def phases(refs):
    """Misses of the L1 in each 50,000 instructions."""
    missed = refs.where(F.col("miss").isNotNull())
    phase = F.expr("time div 50000 * 50000").alias("time")
    return missed.groupBy(phase).agg(F.count("*").alias("misses")).orderBy("time")


def working_set(refs):
    """Bytes of cache lines that each type touched."""
    by = refs.groupBy(F.coalesce("type", F.lit("(none)")).alias("type"))
    return by.agg((64 * F.countDistinct("cacheLine")).alias("bytes")).orderBy(F.desc("bytes"), "type")


def shared_lines(refs):
    """Cache lines that several threads used, one of them writing, by what they used there."""
    by_line = refs.groupBy("cacheLine").agg(
        F.countDistinct("thread").alias("threads"),
        F.max((F.col("kind") != "load").cast("int")).alias("written"),
    )
    shared = by_line.where((F.col("threads") > 1) & (F.col("written") == 1)).select("cacheLine")
    by = refs.join(shared, "cacheLine").groupBy("type", "field", "variable")
    counted = by.agg(F.countDistinct("cacheLine").alias("lines"), F.count("*").alias("refs"))
    return counted.orderBy(F.desc("refs"), "type", "field", "variable").limit(MOST)


def transfers(refs):
    """Lines that came from another core's cache, by class of the miss and by what was accessed."""
    return count_by(refs.where(F.col("server") == "cache"), "miss", "type", "field", "variable", "thread")


def last_writer(refs):
    """Who wrote a line last before another thread used it.

    Each reference moves once, to the machine that has its cache line: a writer stands anywhere before a user."""
    before = Window.partitionBy("cacheLine").orderBy("number").rowsBetween(Window.unboundedPreceding, -1)
    written = F.when(F.col("kind") != "load", F.struct("thread", "function", "line"))
    used = refs.withColumn("last", F.last(written, ignorenulls=True).over(before))
    pairs = used.where(F.col("last.thread") != F.col("thread")).select(
        F.col("last.function").alias("writer"),
        F.col("last.line").alias("its line"),
        F.col("function").alias("user"),
        "line",
    )
    return count_by(pairs, "writer", "its line", "user", "line")


def reuse_distance(refs):
    """How many references lie between two to the same line, in powers of two, by type; the last stands for all above.

    Each reference moves once, to the machine that has its cache line."""
    on_line = Window.partitionBy("cacheLine").orderBy("number")
    distance = F.col("number") - F.lag("number").over(on_line)
    reused = refs.withColumn("distance", distance).where(F.col("distance").isNotNull())
    power = F.least(F.length(F.bin("distance")) - 1, F.lit(19))
    by = reused.withColumn("power", power).groupBy(F.coalesce("type", F.lit("(none)")).alias("type"))
    times = [F.count_if(F.col("power") == at).alias(f"2^{at}") for at in range(20)]
    # As they are met.
    return by.agg(F.min("number").alias("first"), *times).orderBy("first").drop("first")


def shared_variables(refs):
    """DINAMITE's shared variables: where the program refers to addresses that several threads refer to about equally
    often, the busiest one less than twice as often as the next. docs/threads.md.

    `totalcount`, `threads`, `loads` and `stores` are those of the view, if its rows of a source line are added up.
    `type`, `field` and `variable` are what the access names. The view has what lies at the address, which a dataset
    does not know, so rows of one line may be divided in another way, and there is no `isOnlyRead`.

    What moves over the network is counts by address, source line and thread, twice: to be compared with those of other
    threads, and to be added up by source line."""
    what = ["file", "line", "type", "field", "variable"]
    # An access is at its first byte. Latency stands there; the rows of its other lines have none.
    first = refs.where(F.col("latency") > 0).withColumn("isStore", F.col("kind") != "load")
    # An address is another one in another object.
    place = ["object", "address"]
    counts = first.fillna({"object": -1}).groupBy(*place, "thread", *what, "isStore").agg(F.count("*").alias("times"))
    by_thread = counts.groupBy(*place, "thread").agg(F.sum("times").alias("times"))
    busiest = by_thread.groupBy(*place).agg(F.sort_array(F.collect_list("times"), asc=False).alias("most"))
    kept = busiest.where((F.size("most") > 1) & F.expr("most[0] < 2 * most[1]")).select(*place)
    used = counts.join(kept, place).groupBy(*what, "thread").agg(
        F.sum("times").alias("times"),
        F.sum(F.when(F.col("isStore"), F.col("times"))).alias("stored"),
    )
    rows = used.groupBy(*what).agg(
        F.count("*").alias("threadcount"),
        F.sum("times").alias("totalcount"),
        F.map_from_entries(F.sort_array(F.collect_list(F.struct("thread", "times")))).alias("threads"),
        F.coalesce(F.sum("stored"), F.lit(0)).alias("stores"),
    )
    rows = rows.withColumn("loads", F.col("totalcount") - F.col("stores"))
    numbers = ["threadcount", "totalcount", "threads", "loads", "stores"]
    return rows.select(*what, *numbers).orderBy(F.desc("totalcount"), *what)


# By the name that a person types: the job, and the columns that it reads.
KERNELS = {
    "variables": (variables, ["time", "variable"]),
    "pointers": (pointers, ["address", "thread", "variable", "file", "line"]),
    "missing-lines": (missing_lines, ["function", "file", "line", "miss", "latency"]),
    "phases": (phases, ["time", "miss"]),
    "working-set": (working_set, ["cacheLine", "type"]),
    "shared-lines": (shared_lines, ["cacheLine", "thread", "kind", "type", "field", "variable"]),
    "transfers": (transfers, ["server", "miss", "type", "field", "variable", "thread"]),
    "last-writer": (last_writer, ["cacheLine", "number", "kind", "thread", "function", "line"]),
    "reuse-distance": (reuse_distance, ["cacheLine", "number", "type"]),
    "shared-variables": (
        shared_variables,
        ["address", "object", "thread", "kind", "latency", "file", "line", "type", "field", "variable"],
    ),
}
