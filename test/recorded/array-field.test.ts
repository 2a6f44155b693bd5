// Stage: test. A whole array field and its elements have one spelling, through the whole way to the report.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { outputOf } from '../cli/command-client.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-test-array-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly type: string;
  readonly field: string | null;
  readonly references: object;
}

// With lines of 4096 bytes no access crosses one: each is one reference.
it.each(['-O0', '-O1'])('an array field is one row, at %s', (level) => {
  const program = join(folder, `array${level}`);
  const trace = `${program}.dptrace`;
  execFileSync(join(root, 'bin/dprof-cc'), [
    ...TARGET_FLAGS,
    level,
    '-fno-vectorize',
    join(root, 'test/recorded/programs/array-field.c'),
    '-o',
    program,
  ]);
  outputOf(['record', '-o', trace, '--', program]);
  const report = outputOf(['report', trace, '--view', 'miss-classification', '--format', 'json', '--line', '4096']);
  const rows = (JSON.parse(report) as { rows: Row[] }).rows.filter(
    (row) => row.type === 'struct packet' && row.field !== null,
  );
  expect(Object.fromEntries(rows.map((row) => [row.field, row.references]))).toEqual({
    length: { loads: 1, stores: 1 },
    'pay[]': { loads: 2, stores: 6 }, // four elements, a copy, a fill; the last line's load
    'slots[].key': { loads: 1, stores: 4 },
    'slots[]': { loads: 1, stores: 1 },
  });
});
