// Stage: recorder. Copies paths: the number in the place of the header word, then the coded words.
#include "raw_paths.h"

#include <string.h>

#include "dprof/live_trace.h"

namespace dprof {
namespace {

constexpr unsigned group = 4; // words: most paths have no more

inline void copy_group(uint64_t *to, const uint64_t *from) { memcpy(to, from, group * sizeof *to); }

} // namespace

void copy_short_paths(PathLoop &loop) {
  const uint64_t *p = loop.next, *const limit = loop.limit;
  char *const states = loop.states;
  PathState *before = loop.before;
  uint64_t counts = 0, *to = loop.differences;
  while (p < limit) {
    __builtin_prefetch(p + 64);
    const uint64_t header = *p, offset = header - loop.places_begin;
    if (__builtin_expect(offset >= loop.places_bytes, 0)) {
      if (header != time_header) break;
      *loop.times++ = {p[1], p[2]};
      *to++ = DPROF_LIVE_RAW_EVENT;
      counts += one_step;
      p += 3;
      continue;
    }
    PathState *state = (PathState *)(states + loop.places[offset]);
    const unsigned n = state->coded_words, all = state->words;
    if (__builtin_expect(state->header != header || n == not_short, 0)) break;
    *to++ = state->number;
    if (__builtin_expect(n != all, 0)) {
      const uint32_t *positions = loop.positions + state->first_position;
      for (unsigned i = 0; i < n; i++) to[i] = p[1 + positions[i]];
    } else {
      copy_group(to, p + 1); // words behind the path's are written over
      for (unsigned i = group; i < n; i += group) copy_group(to + i, p + 1 + i);
    }
    to += n;
    p += 1 + all;
    counts += state->counts;
    before = state;
  }
  loop.next = p;
  loop.before = before;
  loop.counts += counts;
  loop.differences = to;
}

} // namespace dprof
