// The call paths whose misses cost most: the function, and up to four that called it.
import { kernel, top } from 'dprof';

export default kernel({
  columns: ['function', 'caller', 'caller2', 'caller3', 'caller4', 'miss', 'latency'],
  batch({ count, caller, caller2, caller3, caller4, miss, latency, ...rows }, cycles) {
    const functions = [rows.function, caller, caller2, caller3, caller4];
    for (let row = 0; row < count; row++) {
      if (miss.at(row) === null) continue;
      const path = functions.map((of) => of.at(row)).filter((name) => name !== null);
      cycles.add(path.join(' < '), latency[row]);
    }
  },
  end: (all) => top(all, 20, 'path').map(({ path, count: cycles }) => ({ path, cycles })),
});
