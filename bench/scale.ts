// Stage: bench. What a trace of 10^12 references takes on 100 machines, from what one takes here: docs/scale.md. A job
// of Spark over two sizes of a dataset gives its start and its rate on one core; what that predicts for two and four
// executors is held against them. Run by `npm run bench -- scale`; it needs PySpark.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { DPROF, DPROF_CC, run, scratchFolder } from '../test/real/real-program.js';
import { repeatDataset, type RepeatedManifest } from '../test/spark/repeated-dataset.js';
import { nameMachine } from './machine-name.js';
import { measureCommand } from './measured-command.js';

const KERNEL = 'missing-lines';
/** Times that a job reads the dataset of the larger trace. */
const SMALL = 2;
const LARGE = 16;
/** Ints that are sorted: what a command takes grows by so many references, and its start does not. */
const SORTED = [100_000, 800_000] as const;
const REFERENCES = 1e12;
const MACHINES = 100;
const CORES = 16;
/** Bytes a second, of a machine: 10 Gbit/s. */
const NETWORK = 1.25e9;
const SHARDS = 100;

const folder = scratchFolder();
const python = join(process.cwd(), 'build/spark/bin/python');
const spark = (dataset: string, executors: number): readonly string[] => [
  'env',
  `PYTHONPATH=${join(process.cwd(), 'spark')}`,
  python,
  '-m',
  'dprof_spark',
  KERNEL,
  dataset,
  '--master',
  `local[${executors}]`,
];
const secondsOf = async (command: readonly string[]): Promise<number> => (await measureCommand(command)).seconds;

/** The seconds and bytes that a run of quicksort takes. */
interface Taken {
  readonly references: number;
  readonly replay: number;
  readonly export: number;
  /** Half of it, on one core. */
  readonly shard: number;
  readonly merge: number;
  readonly partBytes: number;
}

async function measure(ints: number): Promise<Taken> {
  const at = `${folder}/${ints}`;
  const trace = `${at}.dptrace`;
  run([DPROF, 'record', '-o', trace, '--', program, String(ints)]);
  const toDataset = [DPROF, 'export', trace, '--to', 'dataset', '-o', `${at}.dataset`, '--chunk', '16M'];
  const parts = [1, 2].map((shard) => `${at}.part${shard}`);
  const shard = (index: number): string[] => [
    DPROF,
    'replay',
    trace,
    '--workers',
    '1',
    '--shard',
    `${index + 1}/2`,
    '-o',
    parts[index],
  ];
  const [exported, first, second] = [await secondsOf(toDataset), await secondsOf(shard(0)), await secondsOf(shard(1))];
  const { rows } = JSON.parse(readFileSync(`${at}.dataset/manifest.json`, 'utf8')) as RepeatedManifest;
  return {
    references: rows,
    replay: await secondsOf([DPROF, 'replay', trace, '-o', `${at}.whole`]),
    export: exported,
    shard: (first + second) / 2,
    merge: await secondsOf([DPROF, 'merge', '--shards', ...parts, '-o', `${at}.joined`]),
    partBytes: parts.reduce((sum, part) => sum + statSync(part).size, 0),
  };
}

const program = `${folder}/quicksort`;
run([DPROF_CC, '-O1', '-g', 'bench/programs/quicksort.c', '-o', program]);
const [short, long] = [await measure(SORTED[0]), await measure(SORTED[1])];
/** For each reference. */
const slope = (of: keyof Taken): number => (long[of] - short[of]) / (long.references - short.references);
const once = `${folder}/${SORTED[1]}.dataset`;
const small = repeatDataset(once, SMALL, `${folder}/small`);
const large = repeatDataset(once, LARGE, `${folder}/large`);
const bytes = large.files.reduce((sum, file) => sum + file.bytes, 0) / large.rows;

const [few, many] = [await secondsOf(spark(`${folder}/small`, 1)), await secondsOf(spark(`${folder}/large`, 1))];
const rate = (large.rows - small.rows) / (many - few);
const start = few - small.rows / rate;
const checked = new Table({ head: ['executors', 'predicted', 'measured'] });
for (const executors of [1, 2, 4]) {
  const cores = Math.min(executors, availableParallelism());
  const measured = executors === 1 ? many : await secondsOf(spark(`${folder}/large`, executors));
  checked.push([executors, `${(start + large.rows / rate / cores).toFixed(1)} s`, `${measured.toFixed(1)} s`]);
}

const hours = (seconds: number): string => `${(seconds / 3600).toFixed(1)} h`;
const terabytes = (count: number): string => `${(count / 1e12).toFixed(2)} TB`;
const all = (of: keyof Taken): number => slope(of) * REFERENCES;
const moved = (REFERENCES * bytes) / (MACHINES * NETWORK);
const model = new Table({ head: ['stage', 'where', 'time', 'network'] });
model.push(
  ['replay', 'one machine', hours(all('replay')), '0'],
  ['export to a dataset', 'one machine', hours(all('export')), terabytes(REFERENCES * bytes)],
  [
    `${KERNEL} over the dataset`,
    `${MACHINES} machines of ${CORES} cores`,
    `${(start + REFERENCES / rate / (MACHINES * CORES) + moved).toFixed(0)} s`,
    terabytes(REFERENCES * bytes),
  ],
  [`${SHARDS} shards`, `${MACHINES} machines, a core each`, hours(all('shard')), terabytes(all('partBytes'))],
  ['merge of the shards', 'one machine', hours(all('merge')), terabytes(all('partBytes'))],
);
process.stdout.write(
  `${nameMachine()}\nquicksort, ${(long.references / 1e6).toFixed(0)} M references, ${bytes.toFixed(2)} bytes each ` +
    `in the dataset and ${slope('partBytes').toFixed(3)} in shards\n` +
    `${KERNEL} over ${(large.rows / 1e6).toFixed(0)} M references: start ${start.toFixed(1)} s, then ` +
    `${(rate / 1e6).toFixed(1)} M/s a core\n${checked.toString()}\n` +
    `10^12 references\n${model.toString()}\n`,
);
rmSync(folder, { recursive: true });
