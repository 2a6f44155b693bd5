// Misses of the L1 over time, as a plot: one line for each 50,000 instructions.
import { kernel } from 'dprof';

const EVERY = 50_000;

export default kernel({
  columns: ['time', 'miss'],
  batch({ count, time, miss }, counts) {
    const { codes, words } = miss;
    for (let row = 0; row < count; row++)
      if (codes[row] !== words.length - 1) counts.add(String(Math.floor(time[row] / EVERY)));
  },
  end(counts) {
    const most = Math.max(...counts.values(), 1);
    const bar = (misses: number) => '#'.repeat(Math.ceil((50 * misses) / most));
    const phases = Array.from(counts, ([phase, misses]) => ({ phase: Number(phase), misses }));
    phases.sort((a, b) => a.phase - b.phase);
    return phases.map(({ phase, misses }) => `${phase * EVERY}`.padStart(12) + ` ${bar(misses)} ${misses}`).join('\n');
  },
});
