// `dprof stream --format arrow` has the rows that JSON lines have, for readers of Arrow.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLUMN_NAMES } from '../../src/stream/stream-columns.js';
import { outputOf } from './command-client.js';
import { recordOrders } from '../recorded/orders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-arrow-'));
const trace = join(folder, 'orders.dptrace');
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => recordOrders(folder, '-fdprof-values'));

const arrowOf = (...words: string[]) =>
  execFileSync(join(ROOT, 'bin/dprof'), ['stream', trace, '--format', 'arrow', ...words], { maxBuffer: 1 << 30 });
const rowsOf = (...words: string[]): unknown[] =>
  outputOf(['stream', trace, ...words])
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

test.each([
  ['all rows', []],
  ['some', ['--where', 'type=struct order', '--where', 'line>26']],
  ['those of a word that many have not', ['--where', 'miss!=capacity', '--where', 'variable=']],
])('%s', (_, where) => {
  const window = ['--from', '90000', '--to', '100000'];
  const words = ['--columns', COLUMN_NAMES.join(','), ...where, ...window];
  const table = tableFromIPC(arrowOf(...words));
  expect(table.schema.fields.map(({ name }) => name)).toEqual(COLUMN_NAMES);
  const found = table.toArray().map((row) => {
    const values = (row as { toJSON(): Record<string, unknown> }).toJSON();
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
    );
  });
  const expected = rowsOf(...words);
  expect(expected.length).toBeGreaterThan(100);
  expect(found).toEqual(expected);
});

test('no rows: the columns are there', () => {
  const table = tableFromIPC(arrowOf('--columns', 'type,time', '--where', 'type=nothing'));
  expect([table.numRows, table.schema.fields.map(({ name }) => name)]).toEqual([0, ['type', 'time']]);
});

test('a reader that goes away ends it', () => {
  const command = `${join(ROOT, 'bin/dprof')} stream ${trace} --format arrow | head -c 1000 | wc -c`;
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  expect([stdout.trim(), stderr]).toEqual(['1000', '']);
});
