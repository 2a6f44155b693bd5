// Stage: test. Programs of four threads that hand memory on, recorded again and again: freely on all CPUs, and in turns
// on one. What a recording says of sharing is the same each time, or it says what may differ.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../cli/command-client.js';
import { requireOrder } from '../order/require-order.js';
import { build, FOLDER, ROOT } from './recorded.js';

/** The first CPU that this process may use: "Cpus_allowed_list: 0-3,8". */
export const FIRST_CPU = /^Cpus_allowed_list:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1];

export interface Recording {
  readonly isOnOneCpu: boolean;
  /** Replay time, and how much of it ran so many threads. */
  readonly instructions: number;
  readonly running: readonly { threads: number; instructions: number }[];
  readonly renamed: { readonly allocations: number; readonly stacks: number };
  readonly falseSharing: number;
  readonly sharing: ReadonlyMap<string, Sharing>;
}

export interface Sharing {
  /** Sharing misses of the L1 in objects of the type, in the logical order, and within these bounds in eight orders. */
  readonly misses: number;
  readonly least: number;
  readonly most: number;
  readonly isOrderBound: boolean;
}

/** Half of them on one CPU, by turns. */
export function recordings(source: string, count: number): Recording[] {
  const program = build(source, ['-O1']);
  return Array.from({ length: count }, (_, number) => recordOnce(program, number));
}

function recordOnce(program: string, number: number): Recording {
  const isOnOneCpu = number % 2 === 1;
  const trace = join(FOLDER, `handed-on-${number}.dptrace`);
  const words = [join(ROOT, 'bin/dprof'), 'record', '-o', trace, '--', program];
  const [command, ...rest] = isOnOneCpu ? ['taskset', '-c', FIRST_CPU, ...words] : words;
  const { status, stderr } = spawnSync(command, rest, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  if (number === 0) requireOrder(trace);
  return readRecording(trace, isOnOneCpu);
}

export function readRecording(trace: string, isOnOneCpu: boolean): Recording {
  const view = (name: string, ...flags: string[]): any =>
    JSON.parse(outputOf(['report', trace, '--view', name, '--format', 'json', ...flags]));
  const { parallelism, totals, rows } = view('data-profile');
  const bound = new Map<string, boolean>(rows.map((row: any) => [row.type, row.orderBound]));
  const ranges = view('schedules', '--schedules', '8').rows.filter(({ field }: any) => field === null);
  return {
    isOnOneCpu,
    instructions: totals.instructions,
    running: parallelism.running,
    renamed: parallelism.renamed,
    falseSharing: totals.levels.l1.classes['false-sharing'],
    sharing: new Map(
      view('miss-classification')
        .rows.filter(({ field }: any) => field === null)
        .map(({ type, levels }: any) => {
          const { classes } = levels.l1;
          const range = ranges.find((row: any) => row.type === type);
          const sum = (of: 'minimum' | 'maximum'): number =>
            range ? range.levels.l1['true-sharing'][of] + range.levels.l1['false-sharing'][of] : 0;
          const misses = classes['true-sharing'] + classes['false-sharing'];
          const isOrderBound = bound.get(type) === true;
          return [type, { misses, least: sum('minimum'), most: sum('maximum'), isOrderBound }];
        }),
    ),
  };
}

/**
 * Types whose sharing misses differ between two recordings, or lie outside the bounds that another one gives, though
 * neither is marked: memory was renamed, or the type is order-bound.
 */
export function unmarked(all: readonly Recording[]): string[] {
  return all.flatMap((one, at) =>
    all.flatMap((other, otherAt) =>
      unmarkedBetween(one, other).map((text) => `recordings ${at} and ${otherAt}: ${text}`),
    ),
  );
}

/** The same of one recording and another: `slack` misses more or fewer are no difference. */
export function unmarkedBetween(one: Recording, other: Recording, slack = 0): string[] {
  const isMarked = ({ renamed, sharing }: Recording, type: string): boolean =>
    renamed.allocations + renamed.stacks > 0 || sharing.get(type)?.isOrderBound === true;
  return [...one.sharing].flatMap(([type, { misses, least, most }]) => {
    const theirs = other.sharing.get(type)?.misses ?? 0;
    const isAlike = Math.abs(theirs - misses) <= slack && least - slack <= theirs && theirs <= most + slack;
    if (isAlike || isMarked(one, type) || isMarked(other, type)) return [];
    return [`${type}: ${misses} (${least}..${most}) in the one, ${theirs} in the other`];
  });
}

/** The different numbers of sharing misses of a type. */
export function sharingOf(all: readonly Recording[], type: string): number[] {
  return [...new Set(all.map(({ sharing }) => sharing.get(type)?.misses ?? 0))];
}
