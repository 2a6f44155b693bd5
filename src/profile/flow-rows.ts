// Stage: profile. Rows of the flow while it is put together, those of equal names as one; then columns in an order of
// their content.

import { NO_INDEX } from '../base/ids.js';
import { SERVERS } from '../replay/machine.js';
import type { Flow, FlowFacts } from './flow.js';
import type { Renumber } from './profile-builder.js';

export interface StepRow {
  readonly site: number;
  readonly changesCore: number;
  readonly served: number[];
  latencyCycles: number;
  time: number;
  beginOffset: number;
  endOffset: number;
}

interface PathNames {
  readonly type: number;
  readonly kind: number;
  readonly variable: number;
  readonly site: number;
  readonly end: number;
  readonly freeSite: number;
  readonly flags: number;
}

export interface PathRow extends PathNames {
  lives: number;
  lifetime: number;
  readonly steps: readonly StepRow[];
}

/** Numbers of a type, or of a type in a bin of a level. */
interface Cell {
  readonly level: number;
  readonly type: number;
  readonly bin: number;
  readonly values: [number, number];
}

type Combine = (a: number, b: number) => number;
const sum: Combine = (a, b) => a + b;

class Cells {
  readonly #rows = new Map<string, Cell>();

  constructor(private readonly combine: Combine) {}

  add(level: number, type: number, bin: number, first: number, second: number): void {
    const key = `${level} ${type} ${bin}`;
    const row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, { level, type, bin, values: [first, second] });
    else row.values.forEach((value, at) => (row.values[at] = this.combine(value, [first, second][at])));
  }

  freeze({ type }: Renumber): {
    level: Uint8Array;
    type: Uint32Array;
    bin: Uint8Array;
    first: Float64Array;
    second: Float64Array;
  } {
    const rows = [...this.#rows.values()]
      .map((row) => ({ ...row, type: type(row.type) }))
      .sort((a, b) => a.level - b.level || a.type - b.type || a.bin - b.bin);
    return {
      level: Uint8Array.from(rows, (row) => row.level),
      type: Uint32Array.from(rows, (row) => row.type),
      bin: Uint8Array.from(rows, (row) => row.bin),
      first: Float64Array.from(rows, (row) => row.values[0]),
      second: Float64Array.from(rows, (row) => row.values[1]),
    };
  }
}

/** Names are numbers of builders. */
export class FlowRows {
  readonly #paths = new Map<string, PathRow>();
  readonly otherPaths = new Cells(sum);
  readonly residency = new Cells(sum);
  readonly missBins = new Cells(sum);
  readonly objectBins: Cells;
  setLines = new Float64Array(0);

  /** `ofBins`: what two rows of lines and objects of one name are together. */
  constructor(ofBins: 'sum' | 'largest') {
    this.objectBins = new Cells(ofBins === 'sum' ? sum : Math.max);
  }

  /** The row's own numbers may change later. */
  addPath(row: PathRow): void {
    const { kind, type, variable, site, end, freeSite, flags, steps } = row;
    const key = `${kind} ${type} ${variable} ${site} ${end} ${freeSite} ${flags} ${steps.map((step) => `${step.changesCore}${step.site}`).join(' ')}`;
    const known = this.#paths.get(key);
    if (known === undefined) {
      this.#paths.set(key, row);
      return;
    }
    known.lives += row.lives;
    known.lifetime += row.lifetime;
    known.steps.forEach((step, index) => addStep(step, steps[index]));
  }

  /** As the flow has them; steps one behind the other. */
  sortPaths(renumber: Renumber): PathRow[] {
    return Array.from(this.#paths.values(), (row) => renumberPath(row, renumber)).sort(comparePaths);
  }

  freeze(facts: FlowFacts, renumber: Renumber): Flow {
    const rows = this.sortPaths(renumber);
    const steps = rows.flatMap((row) => row.steps);
    const [others, residency, objectBins, missBins] = [
      this.otherPaths,
      this.residency,
      this.objectBins,
      this.missBins,
    ].map((cells) => cells.freeze(renumber));
    return {
      by: facts.by,
      mostPaths: facts.mostPaths,
      paths: {
        kind: Uint8Array.from(rows, (row) => row.kind),
        type: Uint32Array.from(rows, (row) => row.type),
        variable: Uint32Array.from(rows, (row) => row.variable),
        site: Uint32Array.from(rows, (row) => row.site),
        end: Uint8Array.from(rows, (row) => row.end),
        freeSite: Uint32Array.from(rows, (row) => row.freeSite),
        flags: Uint8Array.from(rows, (row) => row.flags),
        lives: Float64Array.from(rows, (row) => row.lives),
        lifetime: Float64Array.from(rows, (row) => row.lifetime),
        steps: Uint32Array.from(rows, (row) => row.steps.length),
      },
      steps: freezeSteps(steps),
      otherPaths: { type: others.type, lives: others.first, references: others.second },
      residency: {
        level: residency.level,
        type: residency.type,
        lineTime: residency.first,
        freedLineTime: residency.second,
      },
      objectBins: {
        level: objectBins.level,
        type: objectBins.type,
        bin: objectBins.bin,
        lines: objectBins.first,
        objects: objectBins.second,
      },
      missBins: { level: missBins.level, type: missBins.type, bin: missBins.bin, misses: missBins.first },
      sets: { lines: this.setLines },
    };
  }
}

function addStep(to: StepRow, step: StepRow): void {
  step.served.forEach((count, server) => (to.served[server] += count));
  to.latencyCycles += step.latencyCycles;
  to.time += step.time;
  to.beginOffset = Math.min(to.beginOffset, step.beginOffset);
  to.endOffset = Math.max(to.endOffset, step.endOffset);
}

function renumberPath(row: PathRow, { type, string, site }: Renumber): PathRow {
  const steps = row.steps.map((step) => ({ ...step, site: step.site === NO_INDEX ? NO_INDEX : site(step.site) }));
  return {
    ...row,
    type: type(row.type),
    variable: string(row.variable),
    site: site(row.site),
    freeSite: site(row.freeSite),
    steps,
  };
}

const PATH_ORDER = [
  'type',
  'kind',
  'variable',
  'site',
  'end',
  'freeSite',
  'flags',
] as const satisfies readonly (keyof PathNames)[];

function comparePaths(a: PathRow, b: PathRow): number {
  for (const name of PATH_ORDER) if (a[name] !== b[name]) return a[name] - b[name];
  for (let at = 0; at < Math.min(a.steps.length, b.steps.length); at++) {
    const order = a.steps[at].site - b.steps[at].site || a.steps[at].changesCore - b.steps[at].changesCore;
    if (order !== 0) return order;
  }
  return a.steps.length - b.steps.length;
}

function freezeSteps(steps: readonly StepRow[]): Flow['steps'] {
  const served = new Float64Array(steps.length * SERVERS.length);
  steps.forEach((step, row) => served.set(step.served, row * SERVERS.length));
  return {
    site: Uint32Array.from(steps, (step) => step.site),
    changesCore: Uint8Array.from(steps, (step) => step.changesCore),
    served,
    latencyCycles: Float64Array.from(steps, (step) => step.latencyCycles),
    time: Float64Array.from(steps, (step) => step.time),
    beginOffset: Float64Array.from(steps, (step) => step.beginOffset),
    endOffset: Float64Array.from(steps, (step) => step.endOffset),
  };
}
