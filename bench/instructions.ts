// Stage: bench. Programs, recorded short -> the native engine's instructions for a reference and for a miss, and by
// stage. Run by `npm run bench -- instructions`. DPROF_BENCH_ONLY names programs; DPROF_BENCH_TRACES names traces that
// are there already. With DPROF_BENCH_KEEP=1 what is measured goes into instructions.json, which test/bench holds
// against later builds.
import { basename } from 'node:path';
import Table from 'cli-table3';
import { costOf, hasCallgrind, STAGES, type Cost } from './callgrind.js';
import { compilerOfEngine, isHeld, keepCosts, recordAlike } from './kept-instructions.js';
import { formatCount } from './statistics.js';
import { folder, wantedWorkloads } from './workloads.js';

const costs = new Map<string, Cost>();
if (!hasCallgrind) {
  process.stdout.write('instructions: valgrind is not installed\n');
} else {
  const traces = process.env.DPROF_BENCH_TRACES?.split(',').map((trace) => [basename(trace), () => trace] as const);
  const programs = wantedWorkloads().map((program) => [program.name, () => recordAlike(program, folder)] as const);
  for (const [name, trace] of traces ?? programs) {
    process.stderr.write(`${name} ...\n`);
    costs.set(name, costOf(trace(), folder));
  }
}

const table = new Table({
  head: ['instructions', ...costs.keys()],
  style: { head: [], border: [] },
  colAligns: ['left', ...[...costs].map(() => 'right' as const)],
});
const row = (name: string, value: (cost: Cost) => string): void => {
  table.push([name, ...[...costs.values()].map(value)]);
};
const each = (count: (cost: Cost) => number) => (cost: Cost) => (count(cost) / cost.references).toFixed(1);
for (const stage of STAGES)
  row(
    stage,
    each(({ instructions }) => instructions.stages[stage]),
  );
row(
  'Ir a reference',
  each(({ instructions }) => instructions.all),
);
row('Ir a miss', ({ perMiss }) => perMiss?.toFixed(0) ?? 'too few');
row(
  'libraries, beside it',
  each(({ instructions }) => instructions.libraries),
);
row('references', ({ references }) => formatCount(references));
row('L1 misses', ({ misses }) => formatCount(misses));

if (costs.size > 0)
  process.stdout.write(
    `the engine compiled by ${compilerOfEngine()}, default machine, one worker\nthe stages are of a reference, ` +
      `misses included\n${table.toString()}\n`,
  );
if (process.env.DPROF_BENCH_KEEP === '1') keepCosts(new Map([...costs].filter(([name]) => isHeld(name))));
