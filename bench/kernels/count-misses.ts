// References by thread, variable and class of miss: what counting costs when nothing else is done.
import { kernel } from 'dprof';
import { countWords, mergeCounts, total, type WordCounts } from './word-counts.js';

export default kernel({
  columns: ['thread', 'variable', 'miss'],
  start: (): WordCounts => [],
  batch: ({ count, thread, variable, miss }, counts) => countWords(counts, count, thread, miss, variable),
  merge: mergeCounts,
  end: total,
});
