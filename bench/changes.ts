// Stage: bench. Changes to real programs: what dprof what-if says of each, the same change made in the source and
// recorded again, and the run times of both. `npm run bench -- changes`; DPROF_BENCH_ONLY=lua,redis chooses programs.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import {
  buildChanged,
  buildProgram,
  driven,
  preloaded,
  recordProgram,
  type Change,
  type ChangedProgram,
} from '../test/real/changed-programs.js';
import { CHANGED } from '../test/real/changed.js';
import { DPROF, DPROF_CC, run } from '../test/real/real-program.js';
import { nameMachine } from './machine-name.js';
import { repetitions } from './measured-command.js';
import { formatSeconds, median, times } from './statistics.js';

const LEVELS = ['l1', 'l2', 'llc'] as const;

interface Count {
  readonly before: number;
  readonly after: number;
}

interface Compared {
  readonly totals: {
    readonly references: Count;
    readonly instructions: Count;
    readonly missLatencyCycles: Count;
    readonly levels: Readonly<Record<(typeof LEVELS)[number], { readonly misses: Count }>>;
  };
}

const folder = mkdtempSync(join(tmpdir(), 'dprof-bench-changes-'));
const table = new Table({
  head: ['program', 'what-if', '', 'references', 'est. cycles', 'L1 misses', 'L2 misses', 'LLC misses', 'native'],
  style: { head: [], border: [] },
});

const compare = (words: readonly string[]): Compared =>
  JSON.parse(run([DPROF, ...words, '--format', 'json', '--no-cache'])) as Compared;

function cells({ totals }: Compared): string[] {
  const of = ({ before, after }: Count): string => `${after.toLocaleString('en')} (${times(after / before)})`;
  return [
    of(totals.references),
    of(totals.missLatencyCycles),
    ...LEVELS.map((level) => of(totals.levels[level].misses)),
  ];
}

async function natively(one: ChangedProgram, change: Change, own: string): Promise<string> {
  const before = buildProgram(one, 'clang-19');
  const after = change.edits.length === 0 ? before : buildChanged(one, change, 'clang-19', own);
  const words = (one.long ?? one.words)(folder);
  const ratios: number[] = [];
  const seconds: { readonly before: number[]; readonly after: number[] } = { before: [], after: [] };
  for (let repetition = 0; repetition < Math.max(9, repetitions); repetition++) {
    seconds.before.push(await driven(one, [before, ...words]));
    seconds.after.push(await driven(one, ['env', ...preloaded(change), after, ...words]));
    ratios.push(seconds.after[repetition] / seconds.before[repetition]);
  }
  const least = Math.min(...seconds.after) / Math.min(...seconds.before);
  return `${formatSeconds(median(seconds.before))}: ${times(median(ratios))}, least ${times(least)}`;
}

try {
  const only = process.env.DPROF_BENCH_ONLY?.split(',');
  for (const one of CHANGED.filter(({ name }) => !only || only.includes(name))) {
    const program = buildProgram(one, DPROF_CC);
    const trace = await recordProgram(one, program, folder, 'before.dptrace');
    for (const [number, change] of one.changes.entries()) {
      process.stderr.write(`${one.name}: ${change.options.join(' ')} ...\n`);
      const own = join(folder, `${one.name}-${number}`);
      mkdirSync(own);
      const changed = change.edits.length === 0 ? program : buildChanged(one, change, DPROF_CC, own);
      const foretold = compare(['what-if', trace, ...change.options]);
      const anew = await recordProgram(one, changed, folder, 'anew.dptrace', change);
      const made = compare(['diff', trace, anew]);
      table.push([one.name, change.options.join(' '), 'predicted', ...cells(foretold), '']);
      table.push(['', '', 'recorded anew', ...cells(made), await natively(one, change, own)]);
      rmSync(anew);
    }
    rmSync(trace);
  }
  process.stdout.write(
    `${nameMachine()}\nafter the change, and after : before; native: medians and least of interleaved runs\n` +
      `${table.toString()}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
