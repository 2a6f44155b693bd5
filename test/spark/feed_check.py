"""A feed to a query that counts ten bundles whenever it is asked: how far ahead it was, and whether all lines came."""

import io
import json

from dprof_spark import live

live.AHEAD = 100


class SlowQuery:
    isActive = True
    counted = 0

    def __init__(self, socket):
        self.socket = socket

    @property
    def lastProgress(self):
        self.counted = min(self.socket.bundles, self.counted + 10)
        return {"sources": [{"endOffset": str(self.counted - 1)}]}


class Socket:
    bundles = ahead = 0
    text = b""

    def sendall(self, bundle):
        self.bundles += 1
        self.ahead = max(self.ahead, self.bundles - query.counted)
        self.text += bundle.replace(live.SEPARATOR.encode(), b"\n")


socket = Socket()
query = SlowQuery(socket)
first, rest = b"line 0\n", b"".join(b"line %d\n" % number for number in range(1, 2_000_000))
# The last line lacks its end.
live.Feed(query, socket, ["time"]).pass_on(first, io.BytesIO(rest[:-1]))
print(json.dumps({"ahead": socket.ahead, "whole": socket.text == first + rest, "left": socket.bundles - query.counted}))
