// Stage: test. The flow of the run in hand-made-run.ts: its objects' lives, references and misses, where they went.
// Instructions of the run: 1000.

import { NO_INDEX } from '../../src/base/ids.js';
import { ANY_KIND, NO_OBJECT_KIND, PATH_ENDS, type FlowTables } from '../../src/contract/flow-result.js';
import { SERVERS } from '../../src/contract/machine.js';
import type { ReplayResult } from '../../src/contract/result.js';
import { buildProfile, type ReplayFacts } from '../../src/profile/profile-builder.js';
import type { Profile } from '../../src/profile/profile.js';
import { catalog, facts, handMadeResult } from './hand-made-run.js';

/** kind, type, variable, allocation slot, size. */
const readingRows = [
  [1, 2, 1, NO_INDEX, 0], // 0 pair
  [1, 1, 2, NO_INDEX, 0], // 1 counter
  [0, 3, 0, NO_INDEX, 0], // 2 nodes
  [0, 0, 0, 3, 48], // 3 malloc(48)
  [0, 5, 0, NO_INDEX, 0], // 4 malloc(48), voted the other unit's struct node
  [3, 4, 3, NO_INDEX, 0], // 5 totals
  [NO_OBJECT_KIND, 0, 0, NO_INDEX, 0], // 6
  [ANY_KIND, 2, 0, NO_INDEX, 0], // 7
  [ANY_KIND, 3, 0, NO_INDEX, 0], // 8
  [ANY_KIND, 5, 0, NO_INDEX, 0], // 9
  [ANY_KIND, 0, 0, 3, 48], // 10
] as const;

interface PathLine {
  readonly reading: number;
  readonly allocationSlot?: number;
  readonly end: (typeof PATH_ENDS)[number];
  readonly flags?: number;
  readonly lives: number;
  readonly lifetime: number;
  /** place, changes core, hits of the L1, of memory, time, begin, end. */
  readonly steps: readonly (readonly number[])[];
}

/** Places: 0 worker, 2 main, 3 make, 4 scan. */
const pathLines: readonly PathLine[] = [
  {
    reading: 2,
    allocationSlot: 2,
    end: 'freed',
    flags: 1,
    lives: 1,
    lifetime: 500,
    steps: [
      [2, 0, 9, 1, 0, 0, 16],
      [4, 1, 32, 8, 40, 8, 16],
    ],
  },
  {
    reading: 2,
    allocationSlot: 2,
    end: 'freed',
    lives: 1,
    lifetime: 200,
    steps: [
      [2, 0, 5, 0, 0, 0, 16],
      [4, 0, 19, 1, 20, 8, 16],
    ],
  },
  { reading: 4, allocationSlot: 3, end: 'ended', lives: 1, lifetime: 100, steps: [[4, 0, 14, 2, 8, 0, 8]] },
  { reading: 5, end: 'ended', lives: 2, lifetime: 60, steps: [[2, 0, 7, 1, 4, 0, 64]] },
  {
    reading: 0,
    end: 'alive',
    lives: 1,
    lifetime: 1000,
    steps: [
      [0, 0, 100, 50, 10, 0, 4],
      [0, 1, 110, 40, 40, 4, 8],
    ],
  },
  { reading: 1, end: 'alive', lives: 1, lifetime: 1000, steps: [[0, 0, 36, 4, 12, 0, 4]] },
  {
    reading: 3,
    allocationSlot: 3,
    end: 'alive',
    flags: 2,
    lives: 1,
    lifetime: 700,
    steps: [
      [3, 0, 2, 3, 2, 0, 48],
      [NO_INDEX, 0, 10, 0, 30, 4, 12],
    ],
  },
];

/** level, reading, line time, freed line time. */
const residencyRows = [
  [0, 0, 2000, 0],
  [0, 2, 500, 300],
  [0, 4, 100, 200],
  [0, 6, 50, 0],
  [1, 0, 2000, 0],
  [2, 2, 500, 500],
] as const;

/** level, reading, bin, lines, objects. L1: 64 sets of 8 ways; L2: 4 of its 1,024 sets a bin. */
const objectBinRows = [
  [0, 7, 1, 1, 1],
  [0, 8, 7, 9, 2],
  [0, 9, 7, 1, 1],
  [0, 10, 63, 1, 1],
  [1, 8, 2, 10, 2],
] as const;

/** level, label, bin, misses. */
const missBinRows = [
  [0, 2, 1, 90],
  [0, 3, 7, 12],
  [0, 7, 63, 10],
  [1, 2, 0, 112],
  [2, 2, 0, 112],
] as const;

function sets(count: number, lines: Readonly<Record<number, number>>): Float64Array {
  return Float64Array.from({ length: count }, (_, set) => lines[set] ?? 0);
}

function handMadeFlow(): FlowTables {
  const steps = pathLines.flatMap((path) => path.steps);
  const pick = (rows: readonly (readonly number[])[], at: number): number[] => rows.map((row) => row[at]);
  let next = 0;
  return {
    readings: {
      count: readingRows.length,
      kind: Uint8Array.from(pick(readingRows, 0)),
      type: Uint32Array.from(pick(readingRows, 1)),
      variable: Uint32Array.from(pick(readingRows, 2)),
      allocationSlot: Uint32Array.from(pick(readingRows, 3)),
      sizeBytes: Float64Array.from(pick(readingRows, 4)),
      isPool: new Uint8Array(readingRows.length),
    },
    paths: {
      count: pathLines.length,
      reading: Uint32Array.from(pathLines, ({ reading }) => reading),
      allocationSlot: Uint32Array.from(pathLines, ({ allocationSlot = NO_INDEX }) => allocationSlot),
      callPath: new Uint32Array(pathLines.length),
      end: Uint8Array.from(pathLines, ({ end }) => PATH_ENDS.indexOf(end)),
      freeSlot: new Uint32Array(pathLines.length).fill(NO_INDEX),
      flags: Uint8Array.from(pathLines, ({ flags = 0 }) => flags),
      lives: Float64Array.from(pathLines, ({ lives }) => lives),
      lifetime: Float64Array.from(pathLines, ({ lifetime }) => lifetime),
      firstStep: Uint32Array.from(pathLines, (path) => (next += path.steps.length) - path.steps.length),
      steps: Uint32Array.from(pathLines, (path) => path.steps.length),
    },
    steps: {
      count: steps.length,
      place: Uint32Array.from(pick(steps, 0)),
      changesCore: Uint8Array.from(pick(steps, 1)),
      served: Float64Array.from(
        steps.flatMap(([, , hits, misses]) =>
          SERVERS.map((server) => (server === 'l1' ? hits : server === 'memory' ? misses : 0)),
        ),
      ),
      latencyCycles: Float64Array.from(steps, ([, , hits, misses]) => hits * 4 + misses * 200),
      time: Float64Array.from(pick(steps, 4)),
      beginOffset: Float64Array.from(pick(steps, 5)),
      endOffset: Float64Array.from(pick(steps, 6)),
    },
    otherPaths: { count: 1, reading: Uint32Array.of(5), lives: Float64Array.of(1), references: Float64Array.of(0) },
    residency: {
      count: residencyRows.length,
      level: Uint8Array.from(pick(residencyRows, 0)),
      reading: Uint32Array.from(pick(residencyRows, 1)),
      lineTime: Float64Array.from(pick(residencyRows, 2)),
      freedLineTime: Float64Array.from(pick(residencyRows, 3)),
    },
    objectBins: {
      count: objectBinRows.length,
      level: Uint8Array.from(pick(objectBinRows, 0)),
      reading: Uint32Array.from(pick(objectBinRows, 1)),
      bin: Uint8Array.from(pick(objectBinRows, 2)),
      lines: Float64Array.from(pick(objectBinRows, 3)),
      objects: Float64Array.from(pick(objectBinRows, 4)),
    },
    missBins: {
      count: missBinRows.length,
      level: Uint8Array.from(pick(missBinRows, 0)),
      label: Uint32Array.from(pick(missBinRows, 1)),
      bin: Uint8Array.from(pick(missBinRows, 2)),
      misses: Float64Array.from(pick(missBinRows, 3)),
    },
    linesPerSet: [sets(64, { 1: 1, 7: 10, 63: 1 }), sets(1024, { 8: 4, 9: 6 }), sets(32768, {})],
  };
}

const flowFacts: ReplayFacts = { ...facts, flow: { by: 'function', mostPaths: 7, mostSteps: 64 } };

export function handMadeFlowProfile(result: ReplayResult = handMadeResult()): Profile {
  return buildProfile({ ...result, flow: handMadeFlow() }, catalog, flowFacts);
}
