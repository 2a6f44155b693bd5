// Stage: test. Advice as `dprof advise --format json` prints it, made up: a struct that is laid out anew, an array, and
// one in words.

import type { AdviceJson, FindingJson, StructChangeJson } from '../../src/advise/advice-schema.js';

/** The program that test/cli/command-line.ts draws. */
export const PAIR_NAMES = {
  command: 'pair of counters',
  trace: 'pair.dptrace',
  machine: 'paper',
  type: 'struct pair',
  left: 'left',
  right: 'right',
  array: 'u',
  writer: 'count_right',
  file: '/src/drawn.c',
};
export type Names = Readonly<Record<keyof typeof PAIR_NAMES, string>>;

const misses = { l1: 2000, l2: 900, llc: 80 };
const nothing = { name: null, fields: [], site: null, function: null, allocatedAt: null, sides: null };

function structsOf({ type, left, right }: Names): StructChangeJson[] {
  const field = (name: string, offsetBytes: number, references: number) =>
    ({
      name,
      type: 'long',
      offsetBytes,
      sizeBytes: 8,
      references,
      use: references > 0 ? 'hot' : 'never used',
    }) as const;
  const [one, two] = [field(left, 0, 30), field(right, 8, 10)];
  const struct = { name: type, kind: 'struct', references: 40 };
  return [
    {
      type,
      isNamed: true,
      before: { ...struct, sizeBytes: 16, cacheLines: 1, fields: [one, two] },
      after: {
        ...struct,
        sizeBytes: 128,
        cacheLines: 2,
        alignBytes: 64,
        sumHoles: 56,
        padding: 56,
        fields: [
          { ...one, alignBytes: 64 },
          { ...two, offsetBytes: 64, alignBytes: 64 },
        ],
      },
      cold: {
        ...struct,
        name: `${type}_cold`,
        sizeBytes: 8,
        cacheLines: 1,
        fields: [{ ...field('flags', 0, 0), firstBit: 3, bits: 5 }],
      },
    },
  ];
}

export function drawAdvice(names: Names): AdviceJson {
  const { type, left, right, array, writer, file, machine } = names;
  const conflict: FindingJson['others'][number] = {
    ...nothing,
    kind: 'conflict',
    level: 'l2',
    type: 'double[]',
    name: array,
    allocatedAt: `${file}:14`,
    site: `${file}:26`,
    function: writer,
    cycles: 30_000,
    cyclesShare: 0.3,
    misses: 600,
    missesShare: 2 / 3,
  };
  const predicted: NonNullable<FindingJson['predicted']> = {
    cycles: { before: 100_000, after: 40_000, low: 38_000, high: 52_000 },
    ratio: { low: 0.38, high: 0.5 },
    runTime: { before: 200_000, after: 130_000 },
    misses: {
      l1: { before: 2000, after: 1000 },
      l2: { before: 900, after: 900 },
      llc: { before: 80, after: 0 },
    },
    machines: [
      { before: 100_000, after: 40_000 },
      { before: 0, after: 0 },
    ],
  };
  const align = ['--align', `${type}=64`];
  const pad = ['--pad-rows', `${array}/4096=+64`];
  const sizes = [{ type, bytesBefore: 16, bytesAfter: 128, coldBytes: 8 }];
  const structs = structsOf(names);
  return {
    schema: 'dprof.advise/1',
    trace: names.trace,
    command: names.command,
    machines: [machine, `${machine} with 48K/12 and 2M/16`],
    schedules: 8,
    cycles: 100_000,
    instructions: 5000,
    misses,
    tried: 28,
    findings: [
      {
        ...nothing,
        kind: 'false-sharing',
        level: 'l1',
        type,
        fields: [left, right],
        site: `${file}:11`,
        function: 'count_left',
        cycles: 60_000,
        cyclesShare: 0.6,
        misses: 1000,
        missesShare: 0.5,
        sides: {
          missed: { type, field: left, variable: 'shared', function: 'count_left', site: `${file}:11` },
          writer: { type, field: right, variable: 'shared', function: writer, site: `${file}:21` },
        },
        origin: 'allocator',
        others: [conflict],
        advice: null,
        change: { text: `give ${type} lines of its own`, options: align, sizes, structs },
        predicted,
      },
      {
        ...conflict,
        origin: 'application',
        others: [],
        advice: null,
        change: { text: `end the rows of ${array} with 64 bytes of padding`, options: pad, sizes: [] },
        predicted: { ...predicted, cycles: { before: 100_000, after: 70_000, low: 70_000, high: 70_000 } },
      },
      {
        ...nothing,
        kind: 'true-sharing',
        level: 'llc',
        type: 'long',
        name: right,
        cycles: 4000,
        cyclesShare: 0.04,
        misses: 80,
        missesShare: 1,
        origin: 'application',
        others: [],
        advice: `threads take turns in writing ${right}: give each thread its own`,
        change: null,
        predicted: null,
      },
    ],
    all: { text: 'both', options: [...align, ...pad], sizes, structs: [], predicted },
    left: { count: 2, largestShare: 0.02, largest: { ...conflict, cycles: 2000, cyclesShare: 0.02 } },
  };
}
