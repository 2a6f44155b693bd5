# Stage: test. Lines of `dprof dump --references --lackey` on standard input through pycachesim, which others wrote:
# hits and misses of three levels of LRU caches, as JSON. Arguments: line bytes, then sets and ways of each level. Every
# access is given as a load, a cache line at a time: pycachesim does not renew a line's recency on a store that hits,
# and its interface for single accesses takes 32 bits of an address.
import itertools
import json
import sys

from cachesim import Cache, CacheSimulator, MainMemory

line, *shape = map(int, sys.argv[1:])
levels = []
for name, sets, ways in reversed(list(zip(("L1", "L2", "L3"), shape[0::2], shape[1::2]))):
    below = levels[0] if levels else None
    levels.insert(0, Cache(name, sets, ways, line, "LRU", load_from=below, store_to=below))
memory = MainMemory()
memory.load_to(levels[-1])
memory.store_from(levels[-1])
simulator = CacheSimulator(levels[0], memory)


def lines_of(text):
    address, size = text[3:].split(",")
    first = int(address, 16)
    return range(first // line * line, first + int(size), line)


levels[0].backend.iterload(itertools.chain.from_iterable(map(lines_of, sys.stdin)), length=1)
print(json.dumps([{"hits": level.backend.HIT_count, "misses": level.backend.MISS_count} for level in levels]))
