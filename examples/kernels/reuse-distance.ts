// How many references lie between two to the same line, in powers of two, by type; the last stands for all above it.
import { kernel } from 'dprof';

type Histogram = Map<string, number[]>;

export default kernel({
  columns: ['cacheLine', 'type'],
  ordered: true,
  start: () => ({ at: 0, last: new Map<number, number>(), types: new Map() as Histogram }),
  batch({ count, cacheLine, type }, state) {
    for (let row = 0; row < count; row++, state.at++) {
      const before = state.last.get(cacheLine[row]);
      state.last.set(cacheLine[row], state.at);
      if (before === undefined) continue;
      const name = type.at(row) ?? '(none)';
      const histogram = state.types.get(name) ?? new Array<number>(20).fill(0);
      histogram[Math.min(19, Math.floor(Math.log2(state.at - before)))]++;
      state.types.set(name, histogram);
    }
  },
  end: ({ types }) =>
    [...types].map(([type, by]) => ({ type, ...Object.fromEntries(by.map((times, at) => [`2^${at}`, times])) })),
});
