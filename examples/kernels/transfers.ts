// Lines that came from another core's cache, by class of the miss and by what was accessed.
import { kernel, top } from 'dprof';

export default kernel({
  columns: ['server', 'miss', 'type', 'field', 'variable', 'thread'],
  batch({ count, server, miss, type, field, variable, thread }, counts) {
    for (let row = 0; row < count; row++)
      if (server.at(row) === 'cache')
        counts.add([miss.at(row), type.at(row), field.at(row), variable.at(row), thread[row]]);
  },
  end: (counts) => top(counts, 20, 'miss', 'type', 'field', 'variable', 'thread'),
});
