// References by thread and variable: what counting costs when nothing else is done.
import { kernel } from 'dprof';

export default kernel({
  columns: ['thread', 'variable', 'kind'],
  start: (): Float64Array[][] => [],
  batch({ count, thread, variable, kind }, counts) {
    const { codes, words } = variable;
    for (let row = 0; row < count; row++) {
      const of = (counts[thread[row]] ??= [0, 1, 2, 3].map(() => new Float64Array(words.length)));
      of[kind.codes[row]][codes[row]]++;
    }
  },
  merge(a, b) {
    b.forEach((kinds, thread) => {
      if (a[thread] === undefined) a[thread] = kinds;
      else kinds.forEach((by, kind) => by.forEach((times, code) => void (a[thread][kind][code] += times)));
    });
    return a;
  },
  end: (counts) => counts.flat().reduce((sum, by) => sum + by.reduce((a, b) => a + b, 0), 0),
});
