"""python -m dprof_spark.replay TRACE -o PROFILE: the shards of a replay (docs/replay/shards.md) as tasks of Spark."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

from .installation import write_archive

SHIPPED = "dprof-of-the-job"


def replay_shard(shard, dprof, trace, folder, flags):
    """Makes a shard on whichever machine this runs on, in a folder that all of them see."""
    if dprof is None:
        from pyspark import SparkFiles

        dprof = os.path.join(SparkFiles.get(SHIPPED), "bin/dprof")
    part = os.path.join(folder, shard.replace("/", "-of-"))
    run([dprof, "replay", trace, "--shard", shard, "-o", part, "--workers", "1", *flags])
    return part


def run(command):
    """Raises RuntimeError with what the command says."""
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        raise RuntimeError(f"{command[0]} does not run: {error.strerror}") from None
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{command[0]} ended with status {done.returncode}")


def replay(spark, dprof, trace, count, profile, flags=(), ships=False):
    """A task writes a shard; Spark does it again if its executor is lost. Here they become the profile."""
    shards = [f"{index}/{count}" for index in range(1, count + 1)]
    trace = os.path.abspath(trace)
    with tempfile.TemporaryDirectory(prefix=".shards-", dir=os.path.dirname(os.path.abspath(profile))) as folder:
        if ships:
            archive = os.path.join(folder, "dprof.tar.gz")
            write_archive(dprof, archive)
            spark.sparkContext.addArchive(f"{archive}#{SHIPPED}")
        there = None if ships else dprof
        tasks = spark.sparkContext.parallelize(shards, count)
        parts = tasks.map(lambda shard: replay_shard(shard, there, trace, folder, flags)).collect()
        run([dprof, "merge", "--shards", *parts, "-o", profile])


def last_words(error):
    """What the task said, without the stacks of Java and Python around it."""
    lines = [line for line in str(error).splitlines() if "RuntimeError: " in line]
    said = lines[0].split("RuntimeError: ", 1)[1] if lines else str(error).splitlines()[0]
    return said.removeprefix("dprof: ")


def main():
    parser = argparse.ArgumentParser(prog="dprof_spark.replay", description="A replay in shards, on Apache Spark.")
    parser.add_argument("trace", help="where all machines see it")
    parser.add_argument("-o", "--output", required=True, help="profile to write; all machines see its folder")
    parser.add_argument("--shards", type=int, default=8, help="how many tasks (default: 8)")
    parser.add_argument("--master", default="local[*]", help="of Spark (default: local[*])")
    parser.add_argument("--dprof", default=shutil.which("dprof"), help="the command (default: the one in PATH)")
    parser.add_argument("--ship", action="store_true", help="give executors this dprof; their machines have Node only")
    parser.epilog = "Behind --: flags of dprof replay, such as -- --schedule recorded"
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    asked, flags = parser.parse_args(words[:end]), words[end + 1 :]
    if asked.dprof is None:
        return refuse("there is no dprof in PATH", "name it: --dprof /opt/dprof/bin/dprof")
    if shutil.which("java") is None:
        return refuse("there is no Java, which Spark needs", "apt-get install openjdk-17-jre-headless")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return refuse("there is no PySpark", "pip install pyspark")
    builder = SparkSession.builder.appName(f"dprof replay {asked.trace}").master(asked.master)
    quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
    spark = builder.config(map=quiet).config("spark.log.level", "OFF").getOrCreate()
    try:
        replay(spark, asked.dprof, asked.trace, asked.shards, asked.output, flags, asked.ship)
    except Exception as error:  # of Spark, of Java, or of a task
        return refuse(last_words(error), "dprof replay TRACE --shard 1/8 -o PART says the same on one machine")
    finally:
        spark.stop()
    return 0


def refuse(what, hint):
    print(f"dprof_spark: {what}\nhint: {hint}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
