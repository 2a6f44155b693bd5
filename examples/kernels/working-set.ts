// How many bytes of cache lines each type touched.
import { kernel } from 'dprof';

type Lines = Map<string, Set<number>>;

export default kernel({
  columns: ['cacheLine', 'type'],
  start: (): Lines => new Map(),
  batch({ count, cacheLine, type }, lines) {
    for (let row = 0; row < count; row++) {
      const name = type.at(row) ?? '(none)';
      if (!lines.has(name)) lines.set(name, new Set());
      lines.get(name)!.add(cacheLine[row]);
    }
  },
  merge(a, b) {
    for (const [type, lines] of b) a.set(type, new Set([...(a.get(type) ?? []), ...lines]));
    return a;
  },
  end: (types) =>
    Array.from(types, ([type, lines]) => ({ type, bytes: 64 * lines.size })).sort(
      (a, b) => b.bytes - a.bytes || (a.type < b.type ? -1 : 1),
    ),
});
