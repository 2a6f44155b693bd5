// Who touches which address, and where: DINAMITE's third listing.
import { kernel, top } from 'dprof';

export default kernel({
  columns: ['address', 'thread', 'variable', 'file', 'line'],
  batch({ count, address, thread, variable, file, line }, counts) {
    for (let row = 0; row < count; row++)
      counts.add([address[row], thread[row], variable.at(row), file.at(row), line[row]]);
  },
  end: (counts) => top(counts, 20, 'address', 'thread', 'variable', 'file', 'line'),
});
