// References by thread, variable and class of miss: what counting costs when nothing else is done.
import { kernel } from 'dprof';

export default kernel({
  columns: ['thread', 'variable', 'miss'],
  start: (): Float64Array[][] => [],
  batch({ count, thread, variable, miss }, counts) {
    const { codes, words } = variable;
    for (let row = 0; row < count; row++) {
      const of = (counts[thread[row]] ??= [0, 1, 2, 3, 4, 5].map(() => new Float64Array(words.length)));
      of[miss.codes[row]][codes[row]]++;
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
