// A kernel over references as they come says what it says of a dataset.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_AT_LENGTH } from '../at-length.js';
import { outputOf } from '../cli/command-client.js';
import { recordOrders } from '../recorded/orders.js';
import { environment, hasSpark, parseRows, python, ROOT, withoutNull } from './pyspark.js';

const folder = mkdtempSync(join(tmpdir(), 'dprof-live-'));
const trace = join(folder, 'orders.dptrace');
const stream = [join(ROOT, 'bin/dprof'), 'stream', trace, '--columns'];
afterAll(() => rmSync(folder, { recursive: true }));

const spark = (...words: string[]) => {
  const options = { encoding: 'utf8', env: environment(), timeout: 300_000, killSignal: 'SIGKILL' } as const;
  return spawnSync(python, ['-m', 'dprof_spark', ...words], options);
};
const rowsOf = (...words: string[]): Record<string, unknown>[] => {
  const { stdout, stderr, status } = spark(...words);
  expect(status, stderr).toBe(0);
  return parseRows(stdout);
};
const refused = (...words: string[]): string => {
  const { stdout, stderr, status } = spark(...words);
  expect([status, stdout], stderr).toEqual([1, '']);
  return stderr.slice(stderr.indexOf('dprof_spark:'));
};

describe.runIf(hasSpark && IS_AT_LENGTH)('live', () => {
  beforeAll(() => recordOrders(folder));

  test('accesses by variable in each 50,000 instructions', () => {
    const dataset = join(folder, 'orders.dataset');
    outputOf(['export', trace, '--to', 'dataset', '-o', dataset, '--columns', 'time,variable']);
    const asked = ['variables', '--master', 'local[2]', '--second', '50000'];
    const rows = rowsOf(...asked, '--', ...stream, 'time,variable');
    expect(rows.length).toBeGreaterThan(10);
    expect(rows).toEqual(rowsOf(...asked, dataset));
  });

  const others = [
    ['missing-lines', 'function,file,line,miss,latency'],
    ['pointers', 'address,thread,variable,file,line'],
    ['transfers', 'server,miss,type,field,variable,thread'],
  ];
  test.each(others)('%s', (name, columns) => {
    const answer = outputOf(['kernel', join(ROOT, `examples/kernels/${name}.ts`), trace, '--format', 'json']);
    expect(rowsOf(name, '--', ...stream, columns)).toEqual(withoutNull(JSON.parse(answer) as []));
  });

  test('nothing comes', () => {
    expect(rowsOf('variables', '--', 'true')).toEqual([]);
  });

  test('a feed waits for Spark, and loses nothing', () => {
    const words = [join(ROOT, 'test/spark/feed_check.py')];
    const said = execFileSync(python, words, { encoding: 'utf8', env: environment() });
    expect(JSON.parse(said)).toEqual({ ahead: 101, whole: true, left: 0 });
  });

  const print = (...lines: string[]): string[] => ['variables', '--', 'printf', '%s\n', ...lines];
  const reference = '{"time":1,"variable":"counted"}';
  const asStream = 'hint: print them with: dprof stream RUN.dptrace --columns time,variable\n';
  test.each([
    ['no command', ['variables', '--', './none'], './none cannot be started: No such file or directory\nhint: a comm'],
    [
      'it fails at once',
      ['variables', '--', 'false'],
      'false ended with status 1\nhint: what it said itself stands ab',
    ],
    ['words', print('hello'), `this is no reference with time, variable: hello\n${asStream}`],
    ['other columns', print('{"time":1}'), `this is no reference with time, variable: {"time":1}\n${asStream}`],
    ['one broken line', print(reference, '{"ti'), `this is no reference with time, variable: {"ti\n${asStream}`],
    [
      'it fails in the end',
      ['variables', '--', 'sh', '-c', `echo '${reference}'; exit 3`],
      'sh ended with status 3\nhint: what it said itself stands above\n',
    ],
    [
      'a kernel of whole datasets',
      ['last-writer', '--', 'true'],
      "there is no kernel 'last-writer' over references as",
    ],
  ])('refused: %s', (_, words, message) => {
    expect(refused(...words)).toContain(`dprof_spark: ${message}`);
  });
});
