// Spark's jobs over a dataset say what the kernels of examples/kernels say of the trace. Without PySpark and Java only
// what is refused is tested.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atLength, IS_AT_LENGTH } from '../at-length.js';
import { outputOf } from '../cli/command-client.js';
import { recordOrders } from '../recorded/orders.js';
import { environment, hasPython, hasSpark, parseRows, python, ROOT, withoutNull } from './pyspark.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-spark-'));
const trace = join(folder, 'orders.dptrace');
const dataset = join(folder, 'orders.dataset');
afterAll(() => rmSync(folder, { recursive: true }));

/** What all jobs ask. */
const COLUMNS = 'time,thread,kind,address,type,field,variable,function,file,line,object,server,miss,latency';
const exported = (of: string, to: string): string =>
  outputOf(['export', of, '--to', 'dataset', '-o', to, '--chunk', '200K', '--columns', COLUMNS]);
const spark = (words: string[], path?: string) =>
  spawnSync(python, ['-m', 'dprof_spark', ...words], { encoding: 'utf8', env: environment(path) });
const rowsOf = (of: string, kernels: readonly string[]): Record<string, unknown>[][] => {
  const words = [join(ROOT, 'test/spark/run_kernels.py'), of, ...kernels];
  return parseRows(execFileSync(python, words, { encoding: 'utf8', env: environment(), stdio: 'pipe' })) as never;
};
const kernel = (name: string): Record<string, unknown>[] =>
  JSON.parse(outputOf(['kernel', join(ROOT, `examples/kernels/${name}.ts`), trace, '--format', 'json'])) as [];

beforeAll(() => {
  recordOrders(folder);
  exported(trace, dataset);
});

describe.runIf(hasSpark)('jobs', () => {
  // A job takes two seconds of the processor.
  const sample = ['last-writer'];
  const names = atLength(sample, [
    ...sample,
    ...['variables', 'missing-lines', 'working-set', 'transfers', 'reuse-distance'],
  ]);
  let answers: Record<string, unknown>[][];
  beforeAll(() => {
    answers = rowsOf(dataset, [...names, 'shared-lines', ...atLength([], ['shared-variables'])]);
  });

  test.each(names)('%s', (name) => {
    const expected = withoutNull(kernel(name));
    expect(expected.length).toBeGreaterThan(0);
    expect(answers[names.indexOf(name)]).toEqual(expected);
  });

  test('lines that threads share: the counters are on one', () => {
    expect(answers[names.length]).toContainEqual({ type: 'long', variable: 'counted', lines: 1, refs: 20_004 });
  });

  test.runIf(IS_AT_LENGTH)('no variable of orders.c is used by several threads about equally often', () => {
    expect(answers.at(-1)).toEqual([]);
  });

  test.runIf(IS_AT_LENGTH)('shared variables: the numbers of the view, by source line', () => {
    const [program, run, other] = ['lives', 'lives.dptrace', 'lives.dataset'].map((name) => join(folder, name));
    const source = join(ROOT, 'test/spark/lives.c');
    execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', '-pthread', source, '-o', program]);
    outputOf(['record', '-o', run, '--', program]);
    exported(run, other);
    const view = outputOf(['report', run, '--view', 'shared-variables', '--format', 'json']);
    const expected = byLine((JSON.parse(view) as { rows: Shared[] }).rows);
    expect(expected.size).toBe(8);
    expect(byLine(rowsOf(other, ['shared-variables'])[0] as never)).toEqual(expected);
  });
});

interface Shared {
  readonly file?: string | null;
  readonly line?: number | null;
  readonly totalcount: number;
  readonly loads: number;
  readonly stores: number;
  readonly threads: Readonly<Record<string, number>>;
}

function byLine(rows: readonly Shared[]): Map<string, Record<string, number>> {
  const sums = new Map<string, Record<string, number>>();
  for (const { file, line, totalcount, loads, stores, threads } of rows) {
    const place = `${file ?? null}:${line ?? null}`;
    const sum = sums.get(place) ?? {};
    sums.set(place, sum);
    for (const [name, number] of Object.entries({ totalcount, loads, stores, ...threads }))
      sum[name] = (sum[name] ?? 0) + number;
  }
  return sums;
}

test.runIf(hasSpark)('a dataset that is not whole, or lacks a column; a kernel that is none', () => {
  const copy = join(folder, 'copy');
  cpSync(dataset, copy, { recursive: true });
  truncateSync(join(copy, 'refs/chunk=0/thread=0/data_0.parquet'), 100);
  const cut = spark(['variables', copy]);
  expect([cut.status, cut.stderr]).toEqual([1, expect.stringContaining('has 100 bytes instead of')]);
  const few = join(folder, 'few');
  outputOf(['export', trace, '--to', 'dataset', '-o', few, '--columns', 'address,line']);
  const lacking = spark(['last-writer', few]);
  expect([lacking.status, lacking.stderr]).toEqual([
    1,
    expect.stringContaining('--columns cacheLine,kind,function,line\n'),
  ]);
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
