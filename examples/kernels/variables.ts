// Accesses to each variable in each second of a processor that does a thousand million instructions in one: DINAMITE's
// first listing.
import { kernel, top } from 'dprof';

export default kernel({
  columns: ['time', 'variable'],
  batch({ count, time, variable }, counts) {
    for (let row = 0; row < count; row++)
      if (variable.at(row) !== null) counts.add([Math.floor(time[row] / 1e9), variable.at(row)]);
  },
  end: (counts) => top(counts, 20, 'second', 'variable'),
});
