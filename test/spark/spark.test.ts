// Spark's jobs over a dataset say what the kernels of examples/kernels say of the trace. Without PySpark and Java only
// what is refused is tested; `npm run proofs` installs PySpark.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IS_AT_LENGTH } from '../at-length.js';
import { outputOf } from '../cli/command-client.js';
import { recordOrders } from '../recorded/orders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-spark-'));
const trace = join(folder, 'orders.dptrace');
const dataset = join(folder, 'orders.dataset');
afterAll(() => rmSync(folder, { recursive: true }));

const ENVIRONMENT = join(ROOT, 'build/spark');
const has = (program: string, ...words: string[]): boolean => spawnSync(program, words).status === 0;
const isInstalled = (python: string): boolean => has(python, '-c', 'import pyspark');

function findPython(): string {
  const own = join(ENVIRONMENT, 'bin/python');
  if (IS_AT_LENGTH && !isInstalled(own) && has('python3', '-m', 'venv', ENVIRONMENT))
    spawnSync(own, ['-m', 'pip', 'install', '--quiet', 'pyspark']);
  const found = spawnSync(existsSync(own) ? own : 'python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  });
  return found.stdout?.trim() || 'python3';
}

const python = findPython();
const hasPython = has(python, '--version');
const hasSpark = has('java', '-version') && isInstalled(python);
if (!hasSpark) console.log('Spark: skipped, as there is no PySpark or no Java (npm run proofs installs PySpark)');

const spark = (words: string[], path = process.env.PATH) =>
  spawnSync(python, ['-m', 'dprof_spark', ...words], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: join(ROOT, 'spark'), PATH: path },
  });
const rowsOf = (kernel: string): Record<string, unknown>[] => {
  const { stdout, stderr, status } = spark([kernel, dataset, '--master', 'local[2]']);
  expect(status, stderr).toBe(0);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};
const kernel = (name: string): Record<string, unknown>[] =>
  JSON.parse(outputOf(['kernel', join(ROOT, `examples/kernels/${name}.ts`), trace, '--format', 'json'])) as [];
/** JSON of Spark leaves out what is null. */
const withoutNull = (rows: Record<string, unknown>[]): unknown[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));

beforeAll(() => {
  recordOrders(folder);
  outputOf(['export', trace, '--to', 'dataset', '-o', dataset, '--chunk', '200K']);
});

test.runIf(hasSpark).each(['variables', 'missing-lines', 'working-set'])('%s', (name) => {
  expect(rowsOf(name)).toEqual(withoutNull(kernel(name)));
});

test.runIf(hasSpark)('lines that threads share: the counters are on one', () => {
  expect(rowsOf('shared-lines')).toContainEqual({ type: 'long', variable: 'counted', lines: 1, refs: 20_004 });
});

test.runIf(hasSpark)('a dataset that is not whole, and a kernel that is none', () => {
  const copy = join(folder, 'copy');
  cpSync(dataset, copy, { recursive: true });
  truncateSync(join(copy, 'refs/chunk=0/thread=0/data_0.parquet'), 100);
  const cut = spark(['variables', copy]);
  expect([cut.status, cut.stderr]).toEqual([1, expect.stringContaining('has 100 bytes instead of')]);
  const none = spark(['variable', dataset]);
  expect([none.status, none.stderr]).toEqual([1, expect.stringContaining("there is no kernel 'variable'")]);
});

test.runIf(hasPython)('without Java', () => {
  const { status, stderr } = spark(['variables', dataset], folder);
  expect(stderr).toBe(
    'dprof_spark: there is no Java, which Spark needs\nhint: apt-get install openjdk-17-jre-headless\n',
  );
  expect(status).toBe(1);
});
