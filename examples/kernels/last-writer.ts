// Who wrote a line last before another thread used it.
import { kernel, Counts, top } from 'dprof';

export default kernel({
  columns: ['cacheLine', 'kind', 'thread', 'function', 'line'],
  ordered: true,
  start: () => ({ writers: new Map<number, [number, string | null, number]>(), pairs: new Counts() }),
  batch({ count, cacheLine, kind, thread, line, ...rows }, { writers, pairs }) {
    for (let row = 0; row < count; row++) {
      const writer = writers.get(cacheLine[row]);
      if (writer && writer[0] !== thread[row]) pairs.add([writer[1], writer[2], rows.function.at(row), line[row]]);
      if (kind.at(row) !== 'load') writers.set(cacheLine[row], [thread[row], rows.function.at(row), line[row]]);
    }
  },
  end: ({ pairs }) => top(pairs, 20, 'writer', 'its line', 'user', 'line'),
});
