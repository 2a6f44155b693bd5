// Stage: test. One watched object, drawn: a row for each access, in the order of time; left what a register saw, right
// what the trace has.
//
//   1 0 fill:19          | 0 0 store fill:19
//   2 8 strlen:1@libc    | -
//   -                    | 1 0 load look:24 #7 [40,50]
//
// Left: kernel's thread, slot, function and line (`@module`; `^n`: another instruction of the line). Right: the trace's
// thread, offset (`:bytes`), kind, function and line, `#step` (each row is one of its own), stamps around it, `~` for a
// gap before it. Thread 1 is the trace's 0 and allocates.

import { drawHistories } from '../histories/drawn-histories.js';
import type { Histories, Place } from '../../../src/hardware/histories/histories.js';
import {
  LAST_STAMP,
  NO_STAMP,
  type TracedObjects,
  type TracedSite,
} from '../../../src/hardware/validate/traced-objects.js';
import { validateHistories, type HistoriesValidation } from '../../../src/hardware/validate/validate-histories.js';

export interface DrawnValidation {
  readonly ending?: number;
  readonly end?: Partial<NonNullable<Histories['end']>> | null;
  readonly truncated?: boolean;
  /** The trace has no such object. */
  readonly isAbsent?: boolean;
  readonly slots?: number;
}

const NAMES = { trace: 'drawn.dptrace', histories: 'drawn.dphistories' };
const END: NonNullable<Histories['end']> = {
  exit: { code: 0 },
  types: [],
  endings: [],
  lost: 0,
  stray: 0,
  threads: 1,
  unwatchedThreads: 0,
  lateThreads: 0,
  allocationCalls: 1,
  sites: 1,
  sitesRefused: 0,
  forkedChildren: 0,
  mappings: 0,
  mappedBytes: 0,
  waitsNs: [],
  waits: [],
  armingNs: 0,
  releasingNs: 0,
  sitesNs: 0,
  clocks: { startNs: 0, endNs: 1, startStamp: '0x0', endStamp: '0x1' },
};

export function drawValidation(
  text: string,
  { ending = 0, end = {}, truncated = false, isAbsent = false, slots = 4 }: DrawnValidation = {},
): HistoriesValidation {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const places = new Map<number, Place>();
  const ips = new Map<string, number>();
  const seen = rows
    .filter(([left]) => left !== '-')
    .map(([left]) => {
      const {
        tid,
        slot,
        name,
        line,
        module = 'drawn',
        instruction,
      } = /^(?<tid>\d+) (?<slot>\d+) (?<name>\w+):(?<line>\d+)(@(?<module>\w+))?(\^(?<instruction>\d+))?$/.exec(left)!
        .groups!;
      const key = `${name} ${line} ${module} ${instruction}`;
      if (!ips.has(key)) {
        const ip = 100 + ips.size;
        ips.set(key, ip);
        places.set(ip, {
          ip: `0x${ip.toString(16)}`,
          function: name,
          within: name,
          file: 'drawn.c',
          line: Number(line),
          column: 1,
          module: MODULES[module] ?? module,
          offset: ip,
        });
      }
      return { tid: Number(tid), slot: Number(slot), ip: ips.get(key)! };
    });
  const blank = drawHistories(
    [Array.from({ length: slots }, (_, slot) => slot)],
    [`0: ${seen.map(({ slot }) => `${slot / 8} x`).join(', ')}`],
  );
  const histories: Histories = {
    ...blank,
    places,
    truncated: end === null,
    end: end === null ? null : { ...END, ...end },
    rows: { ...blank.rows, ending: Uint8Array.of(ending) },
    elements: {
      ...blank.elements,
      thread: Uint32Array.from(seen, ({ tid }) => tid),
      ip: Float64Array.from(seen, ({ ip }) => ip),
    },
  };
  return validateHistories(
    histories,
    drawTraced(
      rows.map(([, right]) => right),
      truncated,
      isAbsent,
    ),
    NAMES,
  );
}

const MODULES: Readonly<Record<string, string>> = {
  libc: '/lib/x86_64-linux-gnu/libc.so.6',
  runtime: '/build/lib/libdprof_runtime.so',
};

function drawTraced(cells: readonly string[], truncated: boolean, isAbsent: boolean): TracedObjects {
  const sites: TracedSite[] = [{ function: '', within: '', file: '', line: 0, column: 0, kind: 'kernel' }];
  const object = {
    allocated: 1n,
    thread: 0,
    offset: [] as number[],
    bytes: [] as number[],
    site: [] as number[],
    by: [] as number[],
    step: [] as number[],
    gaps: [] as number[],
    after: [] as bigint[],
    before: [] as bigint[],
  };
  let gaps = 0;
  cells.forEach((cell, row) => {
    if (cell === '-') return;
    const { thread, offset, bytes, kind, name, line, step, after, before, gap } =
      /^(?<gap>~ )?(?<thread>\d+) (?<offset>\d+)(:(?<bytes>\d+))? (?<kind>\w+)( (?<name>\w+):(?<line>\d+))?( #(?<step>\d+))?( \[(?<after>\d+),(?<before>\d+)\])?$/.exec(
        cell,
      )!.groups!;
    if (gap) gaps++;
    object.offset.push(Number(offset));
    object.bytes.push(Number(bytes ?? 8));
    object.by.push(Number(thread));
    object.step.push(step === undefined ? 1000 + row : Number(step));
    object.gaps.push(gaps);
    object.after.push(after === undefined ? NO_STAMP : BigInt(after));
    object.before.push(before === undefined ? LAST_STAMP : BigInt(before));
    if (kind === 'kernel') return void object.site.push(0);
    object.site.push(sites.length);
    sites.push({
      function: name,
      within: name,
      file: 'drawn.c',
      line: Number(line),
      column: 1,
      kind: kind as TracedSite['kind'],
    });
  });
  return {
    sites,
    objects: [isAbsent ? null : object],
    functions: new Set([...sites.map((site) => site.function), 'known']),
    modules: new Set(['drawn']),
    truncated,
    pid: 1,
  };
}

/** `side reason count function`, of every exception. */
export function spellExceptions({ rows }: HistoriesValidation): string[] {
  return rows.map(({ side, reason, count, offset, function: name }) =>
    `${side} ${reason} ${count}: ${offset} ${name}`.trim(),
  );
}
