// A small case drawn in columns: a column for each thread, a row for each step in replay order, and behind it what its
// references met; where engines differ, in what. A step's outcome is what the totals of the run up to it have more than
// those of the run before it.

import { DprofError } from '../../src/base/dprof-error.js';
import { orderSteps } from '../../src/order/order-steps.js';
import { rangeOf } from '../../src/order/releases.js';
import type { ReplayInput } from '../../src/contract/input.js';
import { SERVERS, CLASSES, LEVELS } from '../../src/contract/machine.js';
import { COUNTERS, type ReplayResult } from '../../src/contract/result.js';
import { Objects } from '../../src/sim/objects.js';
import { Accesses, allocatedAddress, wordAddress } from '../../src/sim/references.js';
import type { EventDecoder } from '../../src/trace/event-decoder.js';
import { EventCode, RecordTag, Sync } from '../../src/trace/layout.js';
import { TraceFile } from '../../src/trace/trace-file.js';
import { NO_INDEX } from '../../src/base/ids.js';
import type { ReplayCase } from '../random/random-case.js';
import type { Comparison } from './engines.js';

const KINDS = ['R', 'W', 'A'];

interface Row {
  readonly thread: number;
  readonly cell: string;
  /** The number of its thread's steps up to this one. */
  readonly position: number;
}

export function drawCase(one: ReplayCase, comparison: Comparison): string[] {
  const input = comparison.input(one);
  const rows = orderedRows(input);
  const threads = [...new Set(one.run.steps.map(({ thread }) => thread))].sort((a, b) => a - b);
  const widths = threads.map(
    (thread) =>
      Math.max(`thread ${thread}`.length, ...rows.map((row) => (row.thread === thread ? row.cell.length : 0))) + 2,
  );
  const outcomes = outcomesOf(one, rows, comparison);
  const draw = (cells: readonly string[], last: string): string =>
    `${cells.map((cell, at) => cell.padEnd(widths[at])).join('')}${last}`.trimEnd();
  return [
    `machine ${JSON.stringify(one.machine)}`,
    `schedule ${JSON.stringify(one.schedule)}${one.kernelStores ? ', with the stores of the kernel' : ''}`,
    ...(one.cpus
      ? [`threads on recorded CPUs ${one.cpus.numbers.join(', ')}, at first ${[...one.cpus.first].join(', ')}`]
      : []),
    ...(one.sharedVariables ? [`shared variables, room for ${one.sharedVariables.mostCounts} counts`] : []),
    ...(one.window
      ? [
          'window ' +
            `${JSON.stringify(one.window, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
        ]
      : []),
    draw(
      threads.map((thread) => `thread ${thread}`),
      '',
    ),
    ...rows.map(({ thread, cell }, index) =>
      draw(
        threads.map((own) => (own === thread ? cell : '')),
        outcomes[index],
      ),
    ),
  ];
}

function orderedRows(input: ReplayInput): Row[] {
  const { catalog, machine } = input;
  const file = TraceFile.open(input.path);
  const rows: Row[] = [];
  const heap = new Objects(catalog, machine.lineBytes);
  const positions: number[] = [];
  let words: string[] = [];
  const accesses = new Accesses(catalog, machine.lineBytes, {
    access: (kind, address, bytes) =>
      words.push(
        `${KINDS[kind]} ${Math.floor(address / machine.lineBytes).toString(16)}/${address % machine.lineBytes}:` +
          `${bytes}`,
      ),
  });
  try {
    const order = orderSteps(file, input, heap);
    while (order.next()) {
      order.place();
      const { step, thread } = order;
      words = [];
      if (step.isRecord) {
        const tag = catalog.records.tag[step.record];
        if (tag === RecordTag.segment) accesses.expand(step);
        else if (tag === RecordTag.allocation) {
          words.push(`allocation record ${step.words > 0 ? wordAddress(step, 0).toString(16) : ''}`);
          const address = allocatedAddress(step);
          if (address !== null) heap.allocationRecord(thread, NO_INDEX, address, wordAddress(step, 1), 0);
        } else
          words.push(
            tag === RecordTag.free
              ? `free record ${wordAddress(step, 0).toString(16)}`
              : `marker of function ${catalog.records.function[step.record]}`,
          );
        if (words.length === 0) words.push(`${catalog.records.instructions[step.record]} instructions`);
      } else words.push(eventCell(step, thread, heap));
      positions[thread] = (positions[thread] ?? 0) + 1;
      rows.push({ thread, cell: words.join('; '), position: positions[thread] });
    }
  } catch (error) {
    if (!(error instanceof DprofError)) throw error;
    rows.push({ thread: 0, cell: `refused: ${error.message}`, position: Infinity });
  } finally {
    file.close();
  }
  return rows;
}

function eventCell({ events }: EventDecoder, thread: number, heap: Objects): string {
  const name = Object.entries(EventCode).find(([, code]) => code === events.code)?.[0] ?? `event ${events.code}`;
  const stamp = events.hasStamp ? ` @${events.stamp}` : '';
  if (events.code === EventCode.allocate || events.code === EventCode.free) {
    const [begin, end] = rangeOf(events);
    if (events.code === EventCode.allocate) heap.allocate(thread, begin, end - begin, events.detail, 0, events.pool);
    else heap.free(thread, begin, end - begin, events.detail, 0);
    return `${name} ${begin.toString(16)}+${end - begin}${stamp}`;
  }
  const isSync =
    events.code === EventCode.acquire || events.code === EventCode.release || events.code === EventCode.both;
  const kind = isSync
    ? ` ${Object.entries(Sync).find(([, code]) => code === events.detail)?.[0] ?? events.detail} ` +
      `${events.address.toString(16)}`
    : '';
  const cpu = events.code === EventCode.time ? ` CPU ${events.cpu}` : '';
  return `${name}${kind}${cpu}${stamp}`;
}

/** By row. */
function outcomesOf(one: ReplayCase, rows: readonly Row[], comparison: Comparison): string[] {
  let before = comparison.engines.map((): ReadonlyMap<string, number> => new Map());
  const taken: number[] = [];
  return rows.map(({ thread, position }) => {
    if (!Number.isFinite(position)) return '';
    taken[thread] = position;
    const after = comparison
      .outcomes(prefix(one, taken))
      .map((outcome) => (outcome instanceof DprofError ? new Map([['refused', 1]]) : countsOf(outcome)));
    const met = after.map(
      (counts, engine) =>
        new Map(
          [...counts].flatMap(([name, count]): [string, number][] => {
            const more = count - (before[engine].get(name) ?? 0);
            return more === 0 ? [] : [[name, more]];
          }),
        ),
    );
    before = after;
    const texts = met.map((counts) => spell(counts, (name) => SHOWN.includes(name)));
    const different = [...new Set(met.flatMap((counts) => [...counts.keys()]))].filter((name) =>
      met.some((counts) => counts.get(name) !== met[0].get(name)),
    );
    if (different.length === 0) return texts[0] === '' ? '' : `=> ${texts[0]}`;
    const others = met.map((counts, engine) => {
      const text = spell(counts, (name) => different.includes(name)) || 'not so';
      return ` | ${comparison.engines[engine].name}: ${text}`;
    });
    return `=> ${texts[0]}${others.join('')}   <== differ`;
  });
}

/** A loop or a branch is one step of the run and several rows: it is cut behind the row's step. */
function prefix(one: ReplayCase, taken: readonly number[]): ReplayCase {
  const seen: number[] = [];
  const steps = one.run.steps.filter(({ thread, step, records }) => {
    if (step === null) return true;
    const begins = seen[thread] ?? 0;
    seen[thread] = begins + (records?.length ?? 1);
    return begins < (taken[thread] ?? 0);
  });
  return { ...one, run: { ...one.run, steps } };
}

/** Counters that are printed of every step; the others are printed if engines differ in them. */
const SHOWN: readonly string[] = [
  ...SERVERS.map((name) => `served.${name}`),
  ...LEVELS.flatMap((level) => CLASSES.map((name) => `${level}.${name}`)),
  'invalidations',
  'upgrades',
  'writeBacks',
  'refused',
];

function spell(counts: ReadonlyMap<string, number>, isShown: (name: string) => boolean): string {
  return [...counts]
    .filter(([name]) => isShown(name))
    .map(([name, count]) => (count === 1 ? '' : `${count} `) + name.replace('served.', ''))
    .join(', ');
}

function countsOf({ totals, tallies }: ReplayResult): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  COUNTERS.forEach((name, column) => {
    let total = 0;
    for (let at = column; at < tallies.counters.length; at += COUNTERS.length) total += tallies.counters[at];
    counts.set(name, total);
  });
  for (const [name, value] of Object.entries(totals) as [string, number | readonly number[]][]) {
    if (typeof value === 'number') counts.set(name, value);
    else value.forEach((count, level) => counts.set(`${LEVELS[level]}.${name}`, count));
  }
  return counts;
}
