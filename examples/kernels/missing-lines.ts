// The lines of the source whose misses cost most.
import { kernel, top } from 'dprof';

export default kernel({
  columns: ['function', 'file', 'line', 'miss', 'latency'],
  batch({ count, file, line, miss, latency, ...rows }, cycles) {
    for (let row = 0; row < count; row++)
      if (miss.at(row) !== null)
        cycles.add([rows.function.at(row), file.at(row), line[row], miss.at(row)], latency[row]);
  },
  end: (all) =>
    top(all, 20, 'function', 'file', 'line', 'miss').map(({ count: cycles, ...row }) => ({ ...row, cycles })),
});
