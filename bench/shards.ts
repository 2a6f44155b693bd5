// Stage: bench. What a replay in eight shards costs, beside one replay: a shard, all of them, merging them, and all of
// it by one process at a time and by two. Run by `npm run bench -- shards`.
import { rmSync } from 'node:fs';
import Table from 'cli-table3';
import { DPROF, DPROF_CC, run, scratchFolder } from '../test/real/real-program.js';
import { countInstructions, hasCallgrind, instructionsOf, STAGES } from './callgrind.js';
import { nameMachine } from './machine-name.js';
import { measureInterleaved, repetitions } from './measured-command.js';
import { formatCount, median, times } from './statistics.js';

const SHARDS = 8;
const PROGRAMS: readonly (readonly [name: string, what: string, ...words: string[]])[] = [
  ['quicksort', 'hits of one thread', '300000'],
  ['tree', 'misses of one thread', '20000'],
  ['queue', 'four threads', '50000'],
];

const folder = scratchFolder();
const account = new Table({ head: ['instructions, million', ...STAGES, 'libraries', 'all'] });

/** Where a shard and a merge spend what a replay does not. */
function addToAccount(program: string, name: string, parts: readonly string[]): void {
  const trace = `${program}.dptrace`;
  const shard = ['replay', trace, '--shard', `1/${SHARDS}`];
  const counted = {
    replay: countInstructions(trace, [], folder),
    'a shard': instructionsOf((scratch) => [...shard, '-o', `${scratch}/part`], {
      folder,
      within: 'dprof::ShardReplay::run()',
    }),
    merge: instructionsOf((scratch) => ['merge', '--shards', ...parts, '-o', `${scratch}/joined`], { folder }),
  };
  const millions = (count: number): string => formatCount(Math.round(count / 1e6));
  for (const [what, { stages, libraries, all }] of Object.entries(counted))
    account.push([
      `${name}: ${what}`,
      ...STAGES.map((stage) => millions(stages[stage])),
      millions(libraries),
      millions(all),
    ]);
}

const table = new Table({
  head: ['program', 'replay', 'a shard', 'merge', `${SHARDS} and merge : replay`, 'two processes : one'],
});
for (const [name, what, ...words] of PROGRAMS) {
  const program = `${folder}/${name}`;
  const trace = `${program}.dptrace`;
  run([DPROF_CC, '-O1', '-g', '-pthread', `bench/programs/${name}.c`, '-o', program, '-lm']);
  run([DPROF, 'record', '-o', trace, '--', program, ...words]);
  const parts = Array.from({ length: SHARDS }, (_, index) => `${program}.${index + 1}`);
  const shards = parts.map((part, index) =>
    [DPROF, 'replay', trace, '--workers', '1', '--shard', `${index + 1}/${SHARDS}`, '-o', part].join(' '),
  );
  const merge = [DPROF, 'merge', '--shards', ...parts, '-o', `${program}.joined`];
  const atATime = (count: number): string[] => [
    'bash',
    '-ec',
    `printf '%s\\n' "$@" | xargs -d '\\n' -P ${count} -I{} sh -c {}`,
    'bash',
    ...shards,
  ];
  const measured = await measureInterleaved(
    {
      replay: [DPROF, 'replay', trace, '-o', `${program}.whole`, '--workers', '1'],
      one: atATime(1),
      two: atATime(2),
      merge,
    },
    repetitions,
  );
  run(['cmp', `${program}.joined`, `${program}.whole`]);
  if (hasCallgrind) addToAccount(program, name, parts);
  const cpu = (of: keyof typeof measured): number => median(measured[of].map(({ cpuSeconds }) => cpuSeconds));
  const wall = (of: keyof typeof measured): number => median(measured[of].map(({ seconds }) => seconds));
  table.push([
    `${name}: ${what}`,
    `${cpu('replay').toFixed(2)} s`,
    `${(cpu('one') / SHARDS).toFixed(2)} s`,
    `${cpu('merge').toFixed(2)} s`,
    times((cpu('one') + cpu('merge')) / cpu('replay')),
    times((wall('one') + wall('merge')) / (wall('two') + wall('merge'))),
  ]);
}
process.stdout.write(
  `${nameMachine()}\nprocessor time; medians of ${repetitions} interleaved runs, with the start of each command\n` +
    `${table.toString()}\n${hasCallgrind ? `${account.toString()}\n` : ''}`,
);
rmSync(folder, { recursive: true });
