// References by thread and variable: what counting costs when nothing else is done.
import { kernel } from 'dprof';
import { countWords, mergeCounts, total, type WordCounts } from './word-counts.js';

export default kernel({
  columns: ['thread', 'variable', 'kind'],
  start: (): WordCounts => [],
  batch: ({ count, thread, variable, kind }, counts) => countWords(counts, count, thread, kind, variable),
  merge: mergeCounts,
  end: total,
});
