// Stage: test. A single-threaded program under valgrind's cachegrind and under dprof, with the same first-level cache:
// data references and misses of both. cachegrind sees machine code: also what only the processor's stack is for
// (registers that are spilled and saved, return addresses), constants that instructions load, and the libraries. dprof
// sees the loads and stores of the program's own code, and counts its block operations by cache lines.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StepCursor } from '../../src/order/step-cursor.js';
import { openTrace } from '../../src/replay/open-trace.js';
import { AccessKind, Accesses } from '../../src/sim/references.js';
import { RecordTag, SlotKind } from '../../src/trace/layout.js';
import { PathTable } from '../../src/trace/path-table.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { DPROF, readDataProfile, run } from './real-program.js';

/** 32 KiB, 8 ways, lines of 64 bytes: D1 of cachegrind, L1 of dprof. */
const CACHEGRIND_D1 = '32768,8,64';
const DPROF_L1 = '32K/8';
const LINE_BYTES = 64;

export interface Counts {
  readonly references: number;
  readonly misses: number;
}

export interface Compared {
  readonly name: string;
  /** Counts of everything that ran. */
  readonly everything: Counts;
  /** Counts of functions whose source is the program's. */
  readonly own: Counts;
  /**
   * Misses as in dprof's report; references without those of copies and fills, which compilers turn into other
   * instructions or calls of libc, and before they are split by lines, as cachegrind counts them.
   */
  readonly dprof: Counts;
  /**
   * Stores just behind a load of the same bytes: a single instruction may do both, and cachegrind counts it as one
   * read.
   */
  readonly modifications: number;
}

export const hasValgrind = (): boolean => spawnSync('valgrind', ['--version']).status === 0;

/** `plain` was compiled from sources in `folder`, with -gdwarf-4, which valgrind can read. */
export function compare(
  name: string,
  plain: string,
  instrumented: string,
  args: readonly string[],
  folder: string,
  scratch: string,
): Compared {
  const counts = resolve(scratch, 'cachegrind.out');
  const tool = [
    'valgrind',
    '--tool=cachegrind',
    '--cache-sim=yes',
    `--D1=${CACHEGRIND_D1}`,
    '--LL=33554432,16,64',
    `--cachegrind-out-file=${counts}`,
  ];
  const expected = run([...tool, plain, ...args]);
  const trace = resolve(scratch, 'trace');
  const found = run([DPROF, 'record', '-o', trace, '--', instrumented, ...args]);
  if (expected !== found) throw new Error(`${name} prints something else when it is recorded`);
  const { totals } = readDataProfile(trace, ['--l1', DPROF_L1]);
  const { references, modifications } = countAccesses(trace);
  return {
    name,
    ...readCachegrind(readFileSync(counts, 'utf8'), folder),
    modifications,
    dprof: { references, misses: totals.levels.l1.misses },
  };
}

/** The output file: `fl=` and `fn=` say whose the lines of numbers below them are, `events:` what the numbers are. */
export function readCachegrind(text: string, folder: string): { everything: Counts; own: Counts } {
  let columns: Record<string, number> = {};
  let isOwn = false;
  const sums = { everything: { references: 0, misses: 0 }, own: { references: 0, misses: 0 } };
  const add = (sum: { references: number; misses: number }, numbers: readonly number[]): void => {
    const at = (event: string): number => numbers[columns[event]];
    sum.references += at('Dr') + at('Dw');
    sum.misses += at('D1mr') + at('D1mw');
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('events: '))
      columns = Object.fromEntries(
        line
          .slice(8)
          .split(' ')
          .map((event, i) => [event, i]),
      );
    else if (line.startsWith('fl=')) isOwn = line.slice(3).startsWith(`${folder}/`);
    else if (/^\d/.test(line)) {
      const numbers = line.split(' ').slice(1).map(Number);
      add(sums.everything, numbers);
      if (isOwn) add(sums.own, numbers);
    }
  }
  return sums;
}

function countAccesses(path: string): { references: number; modifications: number } {
  const trace = openTrace(path);
  const { records, slots } = trace.catalog;
  const blocks = new Set<number>([SlotKind.copyLoad, SlotKind.copyStore, SlotKind.fill]);
  const counts = { references: 0, modifications: 0 };
  let loaded = { address: -1, bytes: 0 };
  const accesses = new Accesses(trace.catalog, LINE_BYTES, {
    access: (kind, address, bytes, slot) => {
      if (blocks.has(slots.kind[slot])) return;
      counts.references++;
      if (kind === AccessKind.store && loaded.address === address && loaded.bytes === bytes) counts.modifications++;
      loaded = kind === AccessKind.load ? { address, bytes } : { address: -1, bytes: 0 };
    },
  });
  const file = TraceFile.open(path);
  try {
    const paths = new PathTable(trace.catalog);
    for (const chunks of trace.threads) {
      const cursor = new StepCursor(file, chunks, paths);
      while (cursor.next())
        if (cursor.step.isRecord && records.tag[cursor.step.record] === RecordTag.segment) accesses.expand(cursor.step);
    }
  } finally {
    file.close();
  }
  return counts;
}

const HEADER = ['program', 'all', 'own', 'dprof', 'modify', 'left', 'all', 'own', 'dprof'];

/**
 * Between what dprof saw and what the program's machine code did, in references: of dprof's, where loads and stores
 * that one instruction can do count as one.
 */
export function unexplained({ own, dprof, modifications }: Compared): number {
  const least = dprof.references - modifications;
  return own.references < least ? own.references / least - 1 : Math.max(own.references / dprof.references - 1, 0);
}

/**
 * Which of the two numbers of misses that cachegrind gives is passed, and by how much of it: libc, too, brings the
 * program's lines in.
 */
export function missesOutside({ everything, own, dprof }: Compared): number {
  if (dprof.misses > everything.misses) return dprof.misses / everything.misses - 1;
  return dprof.misses < own.misses ? dprof.misses / own.misses - 1 : 0;
}

/** References, then first-level misses. */
export function formatTable(rows: readonly Compared[]): string {
  const number = (value: number): string => value.toLocaleString('en-US');
  const lines = [
    HEADER,
    ...rows.map((row) => [
      row.name,
      number(row.everything.references),
      number(row.own.references),
      number(row.dprof.references),
      number(row.modifications),
      `${(100 * unexplained(row)).toFixed(2)} %`,
      number(row.everything.misses),
      number(row.own.misses),
      number(row.dprof.misses),
    ]),
  ];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  return lines
    .map((cells) => cells.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join('  '))
    .join('\n');
}
