// Stage: histories. One history -> the steps of its object's path at the slots that were watched.
//
// A step is all accesses of one instruction to one slot from the allocating thread, or all from other threads. Steps
// are in the order of their first accesses. So a loop is one step for each of its instructions, however often it went
// round, and objects that are looked up three times and four times are on one path.

import { ENDINGS, type Histories } from './histories.js';

export interface Step {
  readonly offset: number;
  readonly ip: number;
  /** Another thread than the one that allocated the object. */
  readonly elsewhere: boolean;
  /** Summed over the histories that have the step. */
  accesses: number;
  /**
   * Time of the first access since the registers were armed, less the time that the traps before it took.
   */
  sinceAllocationNs: number;
  histories: number;
}

/** The facts that all histories with these steps have in common. */
export interface Projection {
  /** The places that allocated and freed it: histories of one path have both in common. */
  readonly frame: string;
  readonly allocatedIp: number;
  /** 0: never freed. */
  readonly freedIp: number;
  readonly watch: number;
  readonly offsets: readonly number[];
  readonly steps: readonly Step[];
  histories: number;
}

/** Only whole ones: of a path that was cut short nobody knows how it goes on. */
export function isWhole(histories: Histories, row: number): boolean {
  const ending = ENDINGS[histories.rows.ending[row]];
  return ending === 'free' || ending === 'exit' || ending === 'exec';
}

export function keyOf({ offset, ip, elsewhere }: Pick<Step, 'offset' | 'ip' | 'elsewhere'>): string {
  return `${offset}:${ip}:${elsewhere ? 1 : 0}`;
}

function project(histories: Histories, row: number): Projection {
  const { rows, elements, types, firstElement, run } = histories;
  const type = types[rows.type[row]];
  const known = new Map<string, Step>();
  const steps: Step[] = [];
  for (let at = firstElement[row]; at < firstElement[row + 1]; at++) {
    const next: Step = {
      offset: elements.offset[at],
      ip: elements.ip[at],
      elsewhere: elements.thread[at] !== rows.allocatedThread[row],
      accesses: 1,
      sinceAllocationNs: Math.max(
        0,
        elements.timeNs[at] - rows.armedNs[row] - (at - firstElement[row] + 1) * run.trapNs,
      ),
      histories: 1,
    };
    const same = known.get(keyOf(next));
    if (same !== undefined) {
      same.accesses++;
      continue;
    }
    known.set(keyOf(next), next);
    steps.push(next);
  }
  return {
    frame: `${rows.allocatedIp[row]}:${rows.endedIp[row]}`,
    allocatedIp: rows.allocatedIp[row],
    freedIp: rows.endedIp[row],
    watch: rows.watch[row],
    offsets: type.watches[rows.watch[row]].map((slot) => type.slots[slot].offset),
    steps,
    histories: 1,
  };
}

/** Equal ones become one, in the order of their first; `rows` are of one type. */
export function distinctProjections(histories: Histories, rows: Iterable<number>): Projection[] {
  const found = new Map<string, Projection>();
  for (const row of rows) {
    const projection = project(histories, row);
    const key = `${projection.frame}|${projection.watch}|${projection.steps.map(keyOf).join(' ')}`;
    const same = found.get(key);
    if (same === undefined) {
      found.set(key, projection);
      continue;
    }
    same.histories++;
    projection.steps.forEach((step, index) => addStep(same.steps[index], step));
  }
  return [...found.values()];
}

export function addStep(to: Step, step: Step): void {
  to.accesses += step.accesses;
  to.sinceAllocationNs += step.sinceAllocationNs;
  to.histories += step.histories;
}
