// Stage: test. Small programs through the whole way, compiler to report: what only the parts together can get right.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { outputOf } from '../cli/command-client.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-test-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function reportRows(source: string, view: string, flags: readonly string[]): { readonly [key: string]: any }[] {
  const program = join(folder, source.replace(/\W/g, '-') + flags.join(''));
  const trace = `${program}.dptrace`;
  const compiler = source.endsWith('.cc') ? 'dprof-c++' : 'dprof-cc';
  execFileSync(join(root, 'bin', compiler), [
    ...TARGET_FLAGS,
    ...flags,
    join(root, 'test/recorded/programs', source),
    '-o',
    program,
    '-pthread',
  ]);
  outputOf(['record', '-o', trace, '--', program]);
  return JSON.parse(outputOf(['report', trace, '--view', view, '--format', 'json'])).rows;
}

describe('C11 threads', () => {
  // main stores `value` (compulsory), makes a thread that loads it under a lock (compulsory, after another core's
  // store) and stores `answer` (a hit); main joins it and loads `answer` (true sharing). A thread that started before
  // its creation would miss otherwise.
  it.each(['-O1', '-O2'])('order what is handed to a thread and back, at %s', (level) => {
    const rows = reportRows('c11-handed.c', 'miss-classification', [level]);
    const of = (field: string | null) => rows.find((row) => row.type === 'struct handed' && row.field === field)!;
    expect(of(null).references).toEqual({ loads: 2, stores: 2 });
    expect(of('value').levels.l1).toMatchObject({ misses: 2, compulsoryShared: 1 });
    expect(of('value').levels.l1.classes).toEqual({
      compulsory: 2,
      'true-sharing': 0,
      'false-sharing': 0,
      conflict: 0,
      capacity: 0,
    });
    expect(of('answer').levels.l1.classes).toEqual({
      compulsory: 0,
      'true-sharing': 1,
      'false-sharing': 0,
      conflict: 0,
      capacity: 0,
    });
  });
});

describe('the standard library’s allocator', () => {
  it.each(['-O0', '-O2'])('names the nodes of a map by their type, at %s', (level) => {
    const heap = reportRows('map-nodes.cc', 'address-set', [level]).filter(
      (row) => row.kind === 'heap' && row.type.startsWith('std::_Rb_tree_node'),
    );
    expect(heap.map((row) => row.type)).toEqual(Array(50).fill('std::_Rb_tree_node<std::pair<const int, Payload>>'));
  });
});
