// Stage: test. The file: what was cut off or changed is found, with its place; the header of C++ and the layout here
// are one.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { DprofError } from '../../../src/base/dprof-error.js';
import {
  HEADER_BYTES,
  HISTORIES_MAGIC,
  HISTORIES_VERSION,
  HistoriesChunk,
} from '../../../src/hardware/histories/histories-layout.js';
import { parseHistories } from '../../../src/hardware/histories/histories-reader.js';
import { ENDINGS } from '../../../src/hardware/histories/histories.js';
import { DPROF, run } from '../../cli/command-line.js';
import { build, folder, REGISTERS_ARE_DENIED } from './history-programs.js';

let bytes: Buffer;
const path = join(folder, 'file.dphistories');

beforeAll(() => {
  if (REGISTERS_ARE_DENIED) return;
  expect(
    run(
      DPROF,
      'history',
      '--quiet',
      '-o',
      path,
      '--type',
      'struct packet',
      '--one-in',
      '1',
      '--',
      build('packets.c'),
      '2',
      'plain',
    ).status,
  ).toBe(0);
  bytes = readFileSync(path);
});

/** How many histories there are, or what is wrong. */
function outcome(changed: Buffer): number | string {
  try {
    const { truncated, rows } = parseHistories(changed);
    return truncated ? rows.type.length : 'whole';
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    return error.message.replace(/ at offset.*/, '');
  }
}

test.skipIf(REGISTERS_ARE_DENIED)(
  'cut short at every byte: what is whole counts, and it says that it was cut short',
  () => {
    const outcomes = Array.from({ length: bytes.length }, (_, length) => outcome(bytes.subarray(0, length)));
    const order = ['header', 'histories', 0, 1, 2]; // both may be in one chunk
    expect(outcomes).toEqual(outcomes.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(Array.from(new Set(outcomes)).filter((each) => each !== 1)).toEqual(['header', 'histories', 0, 2]);
    expect(outcome(bytes)).toBe('whole');
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('one byte changed, anywhere: found', () => {
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] ^= 0x41;
    expect([at, typeof outcome(changed)]).toEqual([at, 'string']);
    expect([at, outcome(changed)]).not.toEqual([at, 'whole']);
  }
});

test.skipIf(REGISTERS_ARE_DENIED)('a newer file, an empty file, a trace: each says what it is', () => {
  const report = (name: string, content: Buffer): string => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return run(DPROF, 'report', file).stderr;
  };
  expect(report('short', bytes.subarray(0, 20))).toBe(
    'dprof: header at offset 0: expected 32 bytes, found 20\nhint: the file is damaged or was not written by ' +
      'dprof history; take the histories again\n',
  );
  expect(report('cut', bytes.subarray(0, bytes.length - 10))).toBe('');
});

test('the constants are those of histories_format.h', () => {
  const source = join(folder, 'probe.c');
  writeFileSync(
    source,
    `#include <stdio.h>\n#include "dprof/histories_format.h"\nint main(void) { printf("%s %u %zu %d %d %d %d ` +
      '%d %d", DPROF_HISTORIES_FILE_MAGIC, DPROF_HISTORIES_FILE_VERSION, sizeof(struct dprof_histories_header), ' +
      'DPROF_HISTORIES_RUN, DPROF_HISTORIES_TYPE, DPROF_HISTORIES_PLACES, DPROF_HISTORIES_ROWS, ' +
      `DPROF_HISTORIES_END, DPROF_ENDING_EXEC); }\n`,
  );
  execFileSync('clang-19', [
    '-I',
    resolve(import.meta.dirname, '../../../runtime/include'),
    source,
    '-o',
    join(folder, 'probe'),
  ]);
  const { run: first, type, places, rows, end } = HistoriesChunk;
  expect(run(join(folder, 'probe')).stdout).toBe(
    [HISTORIES_MAGIC, HISTORIES_VERSION, HEADER_BYTES, first, type, places, rows, end, ENDINGS.indexOf('exec')].join(
      ' ',
    ),
  );
});
