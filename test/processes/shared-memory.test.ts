// Drawn traces of processes on one machine: what is a line of both, and what only looks so.

import { expect, test } from 'vitest';
import { dumpReferences } from '../../src/dump/reference-text.js';
import { checkSchedule } from '../../src/dump/issued-steps.js';
import { combineTraces } from '../../src/replay/combine-traces.js';
import { CLASSES, type Machine, type MissClass } from '../../src/contract/machine.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { MappingKind } from '../../src/trace/layout.js';
import type { Mapping } from '../../src/trace/mapping-chunk.js';
import { replayNatively } from '../engine/replay-natively.js';
import { parseDrawing } from '../drawn/drawing.js';
import { drawnTrace, type DrawnMemory } from '../drawn/drawn-trace.js';
import { SMALL } from '../drawn/replay-drawing.js';
import { differences } from '../engine/equal-results.js';
import { traceFile } from '../random/trace-file.js';

const SPACE = 2 ** 47;

function mapping(address: number, more: Partial<Mapping> = {}): Mapping {
  return { stamp: 0n, address, bytes: 4096, kind: MappingKind.file, device: 1n, inode: 7n, offset: 0, ...more };
}

interface Combined {
  readonly result: ReplayResult;
  readonly classes: Partial<Record<MissClass, number>>;
  readonly references: readonly string[];
}

/** A drawing for each process; each row of all of them is at its own time. */
function replayTogether(
  drawings: readonly (readonly [string, DrawnMemory])[],
  schedule: 'logical' | 'recorded' = 'logical',
): Combined {
  const traces = drawings.map(([text, memory], process) =>
    openTrace(traceFile(drawnTrace(parseDrawing(text), { pid: process + 1, ...memory }))),
  );
  const trace = combineTraces(traces);
  const machine: Machine = { ...SMALL, cores: trace.threads.length, coresPerLlc: 64 };
  const input = replayInput(trace, machine, { kind: schedule });
  const result = simulate(input);
  expect(differences(result, replayNatively(input), 'ts', 'native')).toEqual([]);
  expect(checkSchedule(input).examples).toEqual([]);
  const parts: Buffer[] = [];
  dumpReferences(input, (bytes) => parts.push(Buffer.from(bytes)));
  const { tallies } = result;
  const count = (counter: string): number =>
    Array.from(
      { length: tallies.count },
      (_, row) => tallies.counters[row * COUNTERS.length + COUNTERS.indexOf(counter)],
    ).reduce((sum, more) => sum + more, 0);
  const classes = Object.fromEntries(
    CLASSES.map((name) => [name, count(`l1.${name}`)] as const).filter(([, misses]) => misses > 0),
  );
  return { result, classes, references: Buffer.concat(parts).toString('latin1').trimEnd().split('\n') };
}

/** Ten times the process's own half of a line, the processes in turns. */
const writes = (place: string): string => `core 0\n${Array.from({ length: 10 }, () => `W ${place}`).join('\n')}`;

test(
  'two processes that store to halves of a line in shared memory false-share it, though each has it at an ' +
    'address of its own',
  () => {
    const { result, classes } = replayTogether([
      [writes('@5000:8'), { mappings: [mapping(0x5000)] }],
      [writes('@9008:8'), { mappings: [mapping(0x9000)] }],
    ]);
    // Both first stores are compulsory; each of the other 18 finds the line taken by the other process.
    expect(classes).toEqual({ compulsory: 2, 'false-sharing': 18 });
    expect(result.totals.invalidations).toBe(19);
  },
);

test('the same virtual address in two processes is two lines', () => {
  const { result, classes, references } = replayTogether([
    [writes('@5000:8'), {}],
    [writes('@5008:8'), {}],
  ]);
  expect(classes).toEqual({ compulsory: 2 });
  expect(result.totals.invalidations).toBe(0);
  expect(references.slice(0, 2)).toEqual(['0 w 5000 8', `1 w ${(SPACE + 0x5008).toString(16)} 8`]);
});

test.each([
  ['another inode', { inode: 8n }],
  ['another device', { device: 2n }],
  ['a System V segment of that number', { kind: MappingKind.sysv }],
  ['another page of the file', { offset: 4096 }],
])('%s is other memory', (_, other) => {
  const { classes } = replayTogether([
    [writes('@5000:8'), { mappings: [mapping(0x5000)] }],
    [writes('@5008:8'), { mappings: [mapping(0x5000, other)] }],
  ]);
  expect(classes).toEqual({ compulsory: 2 });
});

test(
  'a shared line has the set, and in its low 32 bits the address, at which the process that mapped it first sees ' +
    'it',
  () => {
    const { references } = replayTogether([
      ['core 0\nlock a; W @5040:8', { mappings: [mapping(0x5000, { stamp: 5n })] }],
      ['core 0\nlock a; W @91c0:8', { mappings: [mapping(0x9000, { stamp: 4n, bytes: 8192, offset: 4096 })] }],
      ['core 0\nlock a; R @6040:8', { mappings: [mapping(0x6000, { stamp: 6n, offset: 8192 })] }],
    ]);
    // The second process's page 1 of the file lies at 0x9000, so page 0 lies at 0x8000 and page 2 at 0xa000.
    expect(references.slice(0, 3)).toEqual(
      [
        ['0', 'w', 0x8040],
        ['1', 'w', 0x91c0],
        ['2', 'r', 0xa040],
      ].map(([core, kind, low]) => `${core} ${kind} ${(3 * SPACE + Number(low)).toString(16)} 8`),
    );
  },
);

test('memory is shared for as long as it is mapped', () => {
  const unmapped = mapping(0x9000, { stamp: 1350n, kind: MappingKind.none });
  const other = 'core 0\nlock a; W @9000:8\nlock a; W @9000:8\nlock a; W @9000:8\nlock a; W @9000:8\nlock a; W @9000:8';
  const { references } = replayTogether([
    [writes('@5000:8'), { mappings: [mapping(0x5000)] }],
    [other, { mappings: [mapping(0x9000), unmapped] }],
  ]);
  expect(references.filter((line) => line.startsWith('1'))).toEqual(
    [0, 1, 2, 3, 4].map((row) => `1 w ${(row < 4 ? 2 * SPACE + 0x5000 : SPACE + 0x9000).toString(16)} 8`),
  );
});

test('an object in memory that both processes mapped is one, and outlives both mappings', () => {
  const heap = {
    p: { address: 0x5000, size: 4096, mmap: true, type: 'struct s' },
    q: { address: 0x9000, size: 4096, mmap: true, type: 'struct s' },
  } as const;
  const types = { 'struct s': { size: 16, fields: { a: [0, 8], b: [8, 8] } } } as const;
  const first = 'core 0\nalloc p\nW p+0:8\nfree p';
  const second = 'core 0\n\nalloc q\nW q+8:8\nW q+8:8\nfree q'.replace('\n\n', '\nwork\n');
  const { result } = replayTogether([
    [first, { types, heap, mappings: [mapping(0x5000, { stamp: 900n })] }],
    [second, { types, heap, mappings: [mapping(0x9000, { stamp: 901n })] }],
  ]);
  expect(result.objects.count).toBe(1);
  expect([
    result.objects.sizeBytes[0],
    result.objects.references[0],
    result.objects.diedAt[0],
    result.totals.outsideLife,
  ]).toEqual([4096, 3, -1, 0]);
  expect(result.objects.flags[0] & 3).toBe(3);
});

test('threads are numbered as they began, over all processes', () => {
  const one = 'core 0            core 1\nstart; W @10:8\n                  start 0; W @20:8';
  const stamp =
    (base: number) =>
    (row: number, core: number): number =>
      base + 100 * row + 10 * core;
  const { references } = replayTogether(
    [
      [one, { stamp: stamp(1000) }],
      [one, { stamp: stamp(1050) }],
    ],
    'recorded',
  );
  expect(references).toEqual([
    `0 w 10 8`,
    `1 w ${(SPACE + 0x10).toString(16)} 8`,
    `2 w 20 8`,
    `3 w ${(SPACE + 0x20).toString(16)} 8`,
  ]);
});

test('a process that began when another one had ended comes behind it', () => {
  const stamp =
    (base: number) =>
    (row: number): number =>
      base + 100 * row;
  const { references } = replayTogether([
    ['core 0\nstart; W @10:8\nW @10:8; end', { stamp: stamp(1000) }],
    ['core 0\nstart; W @20:8', { stamp: stamp(5000) }],
  ]);
  expect(references.map((line) => line.split(' ')[0])).toEqual(['0', '0', '1']);
});
