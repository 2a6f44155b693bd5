// Stage: test. Histories drawn as text: one line each, `watch: slot function, slot function', ...`, where ' is another
// thread than the allocating one.

import type { Histories, HistoryType, Place } from '../../../src/hardware/histories/histories.js';

const ALLOCATED = 1000;

/**
 * `frees`: by history, where it was freed; by default all in one place. Each set is as many histories as there are
 * watches.
 */
export function drawHistories(
  watches: readonly (readonly number[])[],
  lines: readonly string[],
  frees: readonly number[] = [],
): Histories {
  const slots = Array.from(new Set(watches.flat()))
    .sort((a, b) => a - b)
    .map((slot) => ({ offset: slot * 8, bytes: 8 }));
  const type: HistoryType = {
    number: 0,
    name: 'struct drawn',
    bytes: slots.length * 8,
    fields: slots.map(({ offset }) => ({ path: `f${offset / 8}`, offset, bytes: 8 })),
    slots,
    watches,
  };
  const names = new Map<string, number>();
  const ipOf = (name: string): number => {
    if (!names.has(name)) names.set(name, 100 + names.size);
    return names.get(name)!;
  };
  const drawn = lines.map((line) => {
    const [watch, accesses] = line.split(':');
    return {
      watch: Number(watch),
      accesses: accesses
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')
        .map((each) => {
          const [slot, name] = each.split(' ');
          return { offset: Number(slot) * 8, ip: ipOf(name.replace("'", '')), thread: name.endsWith("'") ? 2 : 1 };
        }),
    };
  });
  const seen = new Map<number, number>();
  const sets = drawn.map(({ watch }) => {
    const set = seen.get(watch) ?? 0;
    seen.set(watch, set + 1);
    return set;
  });
  const all = drawn.flatMap(({ accesses }) => accesses);
  const times = drawn.flatMap(({ accesses }) => accesses.map((_, index) => ALLOCATED + (index + 1) * 10));
  const u32 = (values: readonly number[]): Uint32Array => Uint32Array.from(values);
  const f64 = (values: readonly number[]): Float64Array => Float64Array.from(values);
  const same = (value: number): number[] => lines.map(() => value);
  const elements = u32(drawn.map(({ accesses }) => accesses.length));
  const firstElement = new Uint32Array(lines.length + 1);
  elements.forEach((count, row) => void (firstElement[row + 1] = firstElement[row] + count));
  const places = new Map<number, Place>(
    [...names].map(([name, ip]) => [
      ip,
      {
        ip: `0x${ip.toString(16)}`,
        function: name,
        within: name,
        file: 'drawn.c',
        line: ip,
        column: 1,
        module: 'drawn',
        offset: ip,
      },
    ]),
  );
  return {
    version: 1,
    versionName: 'first',
    types: [type],
    places,
    firstElement,
    end: null,
    truncated: true,
    run: {
      command: ['drawn'],
      cover: 'pairwise',
      width: 8,
      registers: 4,
      seed: 1,
      oneIn: 1,
      perSecond: 0,
      mostElements: 0,
      longestNs: 0,
      sets: 0,
      shareLines: false,
      randomised: false,
      trace: null,
      trapNs: 0,
      cpus: 2,
    },
    rows: {
      type: u32(same(0)),
      set: u32(sets),
      watch: u32(drawn.map(({ watch }) => watch)),
      partner: u32(same(0)),
      address: f64(same(0x4000)),
      bytes: f64(same(type.bytes)),
      element: f64(same(0)),
      allocatedIp: f64(same(1)),
      allocatedStamp: new BigUint64Array(lines.length),
      allocatedNs: f64(same(ALLOCATED)),
      allocatedThread: u32(same(1)),
      allocatedCpu: u32(same(0)),
      armedNs: f64(same(ALLOCATED)),
      endedIp: f64(lines.map((_, row) => frees[row] ?? 2)),
      endedNs: f64(same(ALLOCATED + 1000)),
      endedThread: u32(same(1)),
      endedCpu: u32(same(0)),
      ending: new Uint8Array(lines.length),
      elements,
    },
    elements: {
      offset: u32(all.map(({ offset }) => offset)),
      width: new Uint8Array(all.length).fill(8),
      ip: f64(all.map(({ ip }) => ip)),
      cpu: u32(all.map(() => 0)),
      thread: u32(all.map(({ thread }) => thread)),
      timeNs: f64(times),
    },
  };
}

/** A path as it is drawn. */
export function spellPaths(
  histories: Histories,
  paths: readonly {
    readonly histories: number;
    readonly isComplete: boolean;
    readonly steps: readonly { offset: number; ip: number; elsewhere: boolean; accesses: number; histories: number }[];
  }[],
): string[] {
  return paths.map((path) => {
    const steps = path.steps.map(
      (step) =>
        `${step.offset / 8} ${histories.places.get(step.ip)!.function}${step.elsewhere ? "'" : ''}` +
        `${step.accesses === step.histories ? '' : ` x${step.accesses / step.histories}`}`,
    );
    return `${path.histories}${path.isComplete ? '' : '?'}: ${steps.join(', ')}`;
  });
}
