"""A kernel over references as they come: Spark's Structured Streaming counts what a command prints.

    command -> Feed -> TCP on this machine -> Spark's socket source -> the kernel -> rows in memory

Spark reads a socket as fast as it can, and keeps in memory what it has not counted yet. So a feed is never more than
AHEAD lines of the socket before Spark, and a command that has more to say waits. Spark also seeks each line of a batch
from the batch's beginning: of 100,000 lines it takes minutes. So a line of the socket has many of the command's."""

import contextlib
import json
import re
import socket
import subprocess
import time

from pyspark.sql import functions as F

# Lines of a command that come together, in bytes.
BUNDLE = 1 << 16
AHEAD = 400
# Between lines of a bundle; JSON has none.
SEPARATOR = "\x1e"
# Spark may be slow on a machine that others use, but it does not stand still: seconds.
MOST_WAIT = 120
# Every reference has them.
SURE = ["time", "address", "thread", "latency"]
NUMBERS = [*SURE, "line"]
# Their answers are sums, which Spark keeps while references come; the others ask for all of them.
LIVE = ["variables", "pointers", "missing-lines", "phases", "transfers"]


class LiveError(Exception):
    """What is wrong with a command, or with what it prints, in one line."""

    def __init__(self, what, hint):
        super().__init__(what)
        self.hint = hint


@contextlib.contextmanager
def started(command):
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
    except OSError as error:
        raise LiveError(f"{command[0]} cannot be started: {error.strerror}", "a command stands after --") from None
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def read_first(process, columns):
    """The first line, which says before Spark starts whether these are references."""
    line = process.stdout.readline()
    if line == b"":
        refuse_failure(process)
        return line
    try:
        if json.loads(line).keys() >= set(columns):
            return line
    except (ValueError, AttributeError):
        pass
    raise no_reference(line.decode(errors="replace").strip()[:80], columns)


def refuse_failure(process):
    if process.wait() != 0:
        what = f"{process.args[0]} ended with status {process.returncode}"
        raise LiveError(what, "what it said itself stands above")


def no_reference(line, columns):
    asked = f"dprof stream RUN.dptrace --columns {','.join(columns)}"
    return LiveError(f"this is no reference with {', '.join(columns)}: {line}", f"print them with: {asked}")


def count_live(spark, job, columns, process, first):
    """The kernel's rows, as JSON, when the command has ended and Spark has counted all."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(MOST_WAIT)
        rows = job(read_live(spark, server.getsockname()[1], columns))
        # Complete: each answer takes the place of the one before.
        query = rows.writeStream.outputMode("complete").format("memory").queryName("answer").start()
        try:
            with server.accept()[0] as connection:
                connection.settimeout(MOST_WAIT)
                Feed(query, connection, columns).pass_on(first, process.stdout)
            refuse_failure(process)
            return spark.table("answer").toJSON().collect()
        except TimeoutError:
            raise stands_still() from None
        except ConnectionError:
            raise failure_of(query, columns) from None
        finally:
            query.stop()


def read_live(spark, port, columns):
    """References that come as lines of JSON from a port of this machine."""
    bundles = spark.readStream.format("socket").option("host", "127.0.0.1").option("port", port).load()
    lines = bundles.select(F.explode(F.split("value", SEPARATOR)).alias("value"))
    types = ", ".join(f"{name} {'long' if name in NUMBERS else 'string'}" for name in columns)
    rows = lines.select("value", F.from_json("value", types).alias("row"))
    sure = next(name for name in SURE if name in columns)
    none = F.raise_error(F.concat(F.lit("no reference: "), F.substring("value", 1, 80), F.lit("\n")))
    # In each column: Spark makes none that the job does not ask for.
    checked = [F.when(F.col(f"row.{sure}").isNull(), none).otherwise(F.col(f"row.{name}")) for name in columns]
    return rows.select(*(value.alias(name) for name, value in zip(columns, checked)))


class Feed:
    def __init__(self, query, connection, columns):
        self.query = query
        self.connection = connection
        self.columns = columns
        self.sent = 0
        self.counted = 0

    def pass_on(self, first, output):
        """Returns when Spark has counted all."""
        rest = first
        while chunk := output.read1(BUNDLE):
            whole, _, rest = (rest + chunk).rpartition(b"\n")
            self.send(whole)
        self.send(rest.rstrip(b"\n"))
        self.wait_until_at_most(0)

    def send(self, lines):
        if lines == b"":
            return
        self.connection.sendall(lines.replace(b"\n", SEPARATOR.encode()) + b"\n")
        self.sent += 1
        self.wait_until_at_most(AHEAD)

    def wait_until_at_most(self, ahead):
        since = time.monotonic()
        while self.sent - self.counted > ahead:
            before, self.counted = self.counted, self.ask()
            if self.counted != before:
                since = time.monotonic()
            elif time.monotonic() - since > MOST_WAIT:
                raise stands_still()
            else:
                time.sleep(0.02)

    def ask(self):
        """How many bundles are in the answer; the source numbers them from 0."""
        if not self.query.isActive:
            raise failure_of(self.query, self.columns)
        progress = self.query.lastProgress
        return 0 if progress is None else int(progress["sources"][0]["endOffset"] or -1) + 1


def stands_still():
    return LiveError(f"Spark has counted nothing for {MOST_WAIT} s", "is the machine busy with something else?")


def failure_of(query, columns):
    said = str(query.exception())
    found = re.search(r"no reference: (.*)", said)
    return no_reference(found[1], columns) if found else LiveError(f"Spark: {said.splitlines()[0]}", "docs/datasets.md")
