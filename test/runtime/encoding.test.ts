// The encoder, byte for byte as docs/trace-format.md shows, and back through a reader that was written from that page
// alone.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PlainPaths } from './plain-paths.js';
import { decodeChunks, type PlainStep } from './plain-reader.js';
import { buildUnit, REGION_BYTES, type UnitDescription } from './plain-unit.js';
import { pathLoops, root, Workbench } from './workbench.js';

const bench = new Workbench();
let encoder: string;
beforeAll(() => {
  encoder = bench.compileEncoder();
});
afterAll(() => bench.clean());

const loops = pathLoops();
const best = loops[loops.length - 1];
const LOAD = 1;
const STORE = 2;
const ATOMIC_UPDATE = 5;

/** A step of the program: a path with all words behind its header, or an event. */
type Line = { readonly region: number; readonly path?: number; readonly words: readonly bigint[] } | string;

function run(
  unit: UnitDescription,
  lines: readonly Line[],
  loop: string,
  piece: number,
): { status: number | null; output: string[] } {
  const { bytes, regionsAt } = buildUnit(unit);
  const text = lines.map((line) => {
    if (typeof line === 'string') return line;
    const offset = regionsAt + REGION_BYTES * line.region + (line.path ?? 0);
    return `p ${[offset, ...line.words].map((word) => word.toString(16)).join(' ')}`;
  });
  const { status, stdout } = bench.run(
    [encoder, loop, String(piece)],
    {},
    [bytes.toString('hex'), ...text].join('\n') + '\n',
  );
  return { status, output: stdout.trim().split('\n') };
}

function encode(
  unit: UnitDescription,
  lines: readonly Line[],
  loop: string,
  piece = 1000,
): { chunks: Buffer[]; counts: string } {
  const { status, output } = run(unit, lines, loop, piece);
  expect(status).toBe(0);
  return { chunks: output.slice(0, -1).map((line) => Buffer.from(line, 'hex')), counts: output.at(-1)! };
}

function pathsOf(unit: UnitDescription): PlainPaths {
  const paths = new PlainPaths();
  paths.addUnits(buildUnit(unit).bytes);
  return paths;
}

/** As the page draws it. */
const exampleUnit: UnitDescription = {
  slots: [
    { kind: STORE },
    { kind: LOAD },
    { kind: LOAD, base: 2, delta: 0x10 },
    { kind: LOAD },
    { kind: LOAD },
    { kind: ATOMIC_UPDATE },
  ],
  records: [
    { words: 1, firstSlot: 0, slots: 1 },
    { words: 2, firstSlot: 1, slots: 2 },
    { words: 1, firstSlot: 3, slots: 1 },
    { words: 1, firstSlot: 4, slots: 1 },
    { words: 2, firstSlot: 5, slots: 1, stamped: true },
  ],
  regions: [
    { paths: 1, firstNode: 0 },
    { paths: 2, firstNode: 1, nodes: 3 },
    { paths: 1, firstNode: 4 },
  ],
  nodes: [
    { firstRecord: 0, records: 1, ends: true },
    { firstRecord: 1, records: 1, firstEdge: 0, edges: 2 },
    { firstRecord: 2, records: 1, firstWord: 1, firstEdge: 2, edges: 1 },
    { firstRecord: 3, records: 1, firstWord: 2, ends: true },
    { firstRecord: 4, records: 1, ends: true },
  ],
  edges: [
    { node: 1, before: 0 },
    { node: 2, before: 1 },
    { node: 2, before: 0 },
  ],
};
const gap = 0n;
const example: Line[] = [
  'e 1 0 3e8 2',
  { region: 0, words: [0x1000n] },
  { region: 0, words: [0x1008n] },
  { region: 0, words: [0x1010n] },
  { region: 0, words: [0x1018n] },
  { region: 1, words: [0x2000n, 0x5000n, 0x2040n] },
  { region: 1, path: 1, words: [0x2100n, gap, 0x2140n] },
  { region: 1, path: 1, words: [0x2300n, gap, 0x2340n] },
  { region: 1, words: [0x2400n, 0x5008n, 0x2440n] },
  { region: 2, words: [0x4000n, 0x44cn] },
];

describe('the worked example', () => {
  const page = readFileSync(join(root, 'docs/trace-format.md'), 'utf8');
  const block = page.slice(
    page.indexOf('The payload of the EVENTS chunk'),
    page.indexOf('`test/trace/event-round-trip.test.ts`'),
  );
  const bytes = block
    .split('\n')
    .filter((line) => line.startsWith('    '))
    .flatMap((line) => /^ +((?:[0-9a-f]{2} +)*[0-9a-f]{2}(?= {2,}))/.exec(line)![1].match(/[0-9a-f]{2}/g)!);

  test.each(loops)('is what the encoder writes (%s)', (loop) => {
    expect(bytes.length).toBe(94);
    for (const piece of [1, 3, 1000]) {
      const { chunks, counts } = encode(exampleUnit, example, loop, piece);
      expect(chunks.map((chunk) => chunk.toString('hex'))).toEqual([bytes.join('')]);
      expect(counts).toBe('15 0'); // 4, then 3, 2, 2 and 3 of region 1, then 1
    }
  });
});

/** One region for each record alone; behind them, regions of several nodes. */
const unit = ((): UnitDescription => {
  const plain = [0, 1, 2, 3, 4, 5, 8, 31, 32, 40, 300, 6, 7, 9, 15, 16, 17].map((words) => ({ words }));
  const atomic = plain.length;
  const records: UnitDescription['records'] = [
    ...plain,
    { words: 2, firstSlot: 0, slots: 1, stamped: true },
    { words: 3, firstSlot: 1, slots: 3 }, // the third derived of the first
    { words: 2, firstSlot: 4, slots: 1, stamped: true }, // derived of the second one of the record before
    { words: 0, tag: 4 },
  ];
  const slots = [
    { kind: ATOMIC_UPDATE },
    { kind: LOAD },
    { kind: LOAD },
    { kind: LOAD, base: 2, delta: 8 },
    { kind: ATOMIC_UPDATE, base: 3, delta: -16 },
  ];
  const single = atomic + 1;
  const many = 100;
  const nodes: UnitDescription['nodes'][number][] = Array.from({ length: single }, (_, record) => ({
    firstRecord: record,
    records: 1,
    ends: true,
  }));
  const edges: { node: number; before: number }[] = [];
  const regions: UnitDescription['regions'][number][] = nodes.map((_, node) => ({ paths: 1, firstNode: node }));
  const add = (
    paths: number,
    own: UnitDescription['nodes'][number][],
    ownEdges: { node: number; before: number }[],
  ): void => {
    regions.push(
      { paths, firstNode: nodes.length, nodes: own.length },
      ...Array.from({ length: Math.ceil(paths / 32) - 1 }, (_, i) => ({ paths: 0, back: i + 1 })),
    );
    nodes.push(...own.map((node) => ({ ...node, firstEdge: edges.length + (node.firstEdge ?? 0) })));
    edges.push(...ownEdges);
  };
  // atomic + 1: a stamp whose object is derived
  add(1, [{ firstRecord: atomic + 1, records: 2, ends: true }], []);
  // then: a gap of three words in path 1
  add(
    2,
    [
      { firstRecord: 1, records: 1, edges: 2 },
      { firstRecord: 3, records: 1, firstWord: 1, firstEdge: 2, edges: 1 },
      { firstRecord: 2, records: 1, firstWord: 4, ends: true },
    ],
    [
      { node: 1, before: 0 },
      { node: 2, before: 1 },
      { node: 2, before: 0 },
    ],
  );
  // then: nothing but a gap at the end of path 1
  add(
    2,
    [
      { firstRecord: 1, records: 1, edges: 2 },
      { firstRecord: 2, records: 1, firstWord: 1, firstEdge: 2, edges: 1 },
      { firstWord: 3, ends: true },
    ],
    [
      { node: 1, before: 0 },
      { node: 2, before: 1 },
      { node: 2, before: 0 },
    ],
  );
  // then: a hundred paths, the first of them the root alone
  add(
    many,
    [
      { firstRecord: 0, records: 2, ends: true, edges: many - 1 },
      ...Array.from({ length: many - 1 }, (_, i) => ({ firstRecord: i % 4, records: 2, firstWord: 1, ends: true })),
    ],
    Array.from({ length: many - 1 }, (_, i) => ({ node: i + 1, before: i + 1 })),
  );
  return { slots, records, regions, nodes, edges };
})();
const STAMPED = 17;
const DERIVED_STAMP = 18;
const GAP = 19;
const GAP_AT_END = 20;
const HUNDRED = 21;

test.each(loops)('a repeated path costs nothing but its count (%s)', (loop) => {
  const lines = Array.from({ length: 1000 }, (_, i) => ({
    region: 2,
    words: [0x1000n + 8n * BigInt(i), 0x9000n + 16n * BigInt(i)],
  }));
  const [chunk] = encode(unit, lines, loop).chunks;
  // run 0, another path with two explicit words; run 0, predicted with an explicit word and one that moved otherwise;
  // then one run of 998.
  const control = chunk.subarray(17, 17 + chunk.readUInt32LE(12));
  expect(control.toString('hex')).toBe('0029' + '8001' + '00' + '28' + 'e607');
});

test('a stamp that does not rise is moved behind the one before it', () => {
  const { chunks } = encode(
    unit,
    ['e 4 1 64 10', 'e 5 1 32 10', { region: STAMPED, words: [0x4000n, 0x64n] }, 'chunk', 'e 9 0 1'],
    best,
  );
  const steps = decodeChunks(chunks, pathsOf(unit));
  expect(steps.map((step) => ('event' in step ? step.event.stamp : step.stamp))).toEqual([100n, 101n, 102n, 103n]);
});

test('a part has its pool behind its size, a mark its value and its text', () => {
  const text = Buffer.from('sort').readUInt32LE(0).toString(16);
  const { chunks } = encode(unit, ['e 2 7 64 4000 30 30', `e e 1 65 0 4 ${text}`], best);
  expect(chunks[0].subarray(-15).toString('hex')).toBe('7264808002' + '3030' + '1e010004' + '736f7274');
  expect(decodeChunks(chunks, pathsOf(unit))).toEqual([
    { event: { name: 'ALLOCATE', detail: 7, stamp: 0x64n, fields: [0x4000n, 0x30n, 0x30n] } },
    { event: { name: 'MARK', detail: 1, stamp: 0x65n, fields: [0n], text: 'sort' } },
  ]);
});

test('the object of a stamp whose address is derived', () => {
  const { chunks, counts } = encode(unit, [{ region: DERIVED_STAMP, words: [0x4000n, 0x5000n, 0x64n] }], best);
  expect(decodeChunks(chunks, pathsOf(unit))).toEqual([
    { region: DERIVED_STAMP, path: 0, words: [0x4000n, 0x5000n], stamp: 0x64n },
  ]);
  // RELEASE, atomic; stamp 64; 0x5000 - 0x10, as zigzag
  expect(chunks[0].subarray(-5).toString('hex')).toBe('9464' + 'e0bf02');
  expect(counts).toBe('2 0');
});

test.each(loops)('a loop has its iterations, addresses and strides as coded words (%s)', (loop) => {
  const STRIDE_LOGGED = -(2 ** 31);
  const looping: UnitDescription = {
    slots: [
      { kind: LOAD, delta: 8 },
      { kind: STORE, base: 1, delta: 4 },
      { kind: LOAD, delta: STRIDE_LOGGED },
    ],
    records: [
      { words: 2, firstSlot: 0, slots: 2 },
      { words: 1, firstSlot: 2, slots: 1 },
    ],
    regions: [{ paths: 2, loop: true }],
    nodes: [{ records: 2, ends: true }],
  };
  const words = [3n, 0x1000n, 0x2000n, 0x40n];
  const lines: Line[] = [
    { region: 0, words },
    { region: 0, path: 1, words },
    { region: 0, words },
  ];
  const { chunks, counts } = encode(looping, lines, loop, 2);
  expect(decodeChunks(chunks, pathsOf(looping))).toEqual([0, 1, 0].map((path) => ({ region: 0, path, words })));
  expect(counts).toBe('6 0'); // an iteration's records, once
});

describe.each(loops)('random steps come back as they were (%s)', (loop) => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('seed %i', (seed) => {
    let state = seed * 2654435761;
    const random = (n: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    let walker = 0x2000n;
    const word = (): bigint => {
      const kind = random(12);
      if (kind === 0) return BigInt(random(2 ** 31)) * 0x1_0000_0001n + BigInt(random(3));
      if (kind === 1) return 2n ** 64n - 1n - BigInt(random(200));
      if (kind < 5) return 0x5555_0000_0000n + BigInt(random(40) * 8);
      return (walker += 8n * BigInt(random(2)));
    };
    let stamp = 5n;
    const nextStamp = (): bigint => (stamp += BigInt(1 + random(10 ** random(9))));
    const lines: Line[] = [];
    const expected: PlainStep[] = [];
    let segments = 0;
    const take = (
      region: number,
      path: number,
      words: readonly bigint[],
      inGap: readonly number[] = [],
      stamped?: bigint,
    ): void => {
      const all = [...words];
      for (const at of inGap) all.splice(at, 0, random(2) ? word() : 0n);
      lines.push({ region, path, words: stamped === undefined ? all : [...all, stamped] });
      expected.push(stamped === undefined ? { region, path, words } : { region, path, words, stamp: stamped });
    };
    const words = (count: number): bigint[] => Array.from({ length: count }, word);
    for (let i = 0; i < 3000; i++) {
      const choice = random(40);
      if (choice === 0) {
        lines.push('chunk');
      } else if (choice < 3) {
        const [time, address, size] = [nextStamp(), word(), BigInt(random(5000))];
        lines.push(`e 2 ${1 + random(5)} ${[time, address, size].map((field) => field.toString(16)).join(' ')}`);
        expected.push({
          event: {
            name: 'ALLOCATE',
            detail: Number((lines.at(-1) as string).split(' ')[2]),
            stamp: time,
            fields: [address, size],
          },
        });
      } else if (choice === 3) {
        const time = nextStamp();
        const cpu = BigInt(random(200));
        lines.push(`e 1 0 ${time.toString(16)} ${cpu.toString(16)}`);
        expected.push({ event: { name: 'TIME', detail: 0, stamp: time, fields: [cpu] } });
      } else if (choice < 5) {
        take(GAP, 1, words(3), [1, 1, 1]);
      } else if (choice < 6) {
        take(GAP, 0, words(6));
      } else if (choice < 7) {
        take(GAP_AT_END, 1, words(1), [1, 1]);
      } else if (choice < 9) {
        take(STAMPED, 0, words(1), [], nextStamp());
      } else if (choice < 10) {
        take(DERIVED_STAMP, 0, words(2), [], nextStamp());
        segments++;
      } else if (choice < 15) {
        const path = random(100);
        // records i and i + 1 of 0, 1, 2 ... words behind 0 and 1
        const shorter = path === 0 ? 1 : 1 + 2 * ((path - 1) % 4) + 1;
        take(HUNDRED, path, words(shorter), []);
        segments += path === 0 ? 1 : 3;
      } else {
        const region = choice < 37 ? random(7) : random(17);
        take(region, 0, words(unit.records[region].words));
      }
    }
    segments += expected.filter((step) => 'region' in step && step.region !== HUNDRED).length;
    segments += expected.filter(
      (step) =>
        'region' in step &&
        ((step.region === GAP && step.path === 1) || (step.region === GAP_AT_END && step.path === 0)),
    ).length;
    segments += 2 * expected.filter((step) => 'region' in step && step.region === GAP && step.path === 0).length;
    segments += expected.filter((step) => 'region' in step && step.region === HUNDRED).length;
    const { chunks, counts } = encode(unit, lines, loop, 1 + seed * 37);
    expect(decodeChunks(chunks, pathsOf(unit))).toEqual(expected);
    expect(counts).toBe(`${segments} 0`);
  });
});

test('all loops write the same bytes', () => {
  const path = (i: number): Line => ({
    region: (i * i + i) % 17,
    words: Array.from({ length: unit.records[(i * i + i) % 17].words }, (_, w) =>
      BigInt((i % 13) * 4096 + w * 8 + (i % 5 === w ? i : 0)),
    ),
  });
  const lines = Array.from(
    { length: 5000 },
    (_, i): Line => (i % 37 === 36 ? `e 1 0 ${(i * 1000).toString(16)} ${i % 3}` : path(i)),
  );
  const [first, ...others] = loops.map((loop) => encode(unit, lines, loop));
  for (const other of others) expect(other).toEqual(first);
});

describe('a unit that no plugin wrote is refused', () => {
  const step: Line = { region: 0, words: [1n] };
  const one: UnitDescription = {
    records: [{ words: 1 }],
    regions: [{ paths: 1 }],
    nodes: [{ records: 1, ends: true }],
  };
  const loop = best;
  test('as it is, it is not', () => {
    expect(run(one, [step], loop, 1).status).toBe(0);
  });
  test.each<[string, Partial<UnitDescription>]>([
    ['a region without nodes', { regions: [{ paths: 1, nodes: 0 }] }],
    ['nodes that are not there', { regions: [{ paths: 1, firstNode: 1 }] }],
    ['a path without records', { nodes: [{ ends: true }] }],
    ['records that are not there', { nodes: [{ firstRecord: 0xffffffff, records: 2, ends: true }] }],
    ['slots that are not there', { records: [{ words: 1, slots: 1 }] }],
    ['no way on', { nodes: [{ records: 1 }] }],
    ['edges that are not there', { nodes: [{ records: 1, edges: 1 }] }],
    ['a way in a circle', { nodes: [{ records: 1, edges: 1 }], edges: [{ node: 0, before: 0 }] }],
    ['a way out of the region', { nodes: [{ records: 1, edges: 1 }, { ends: true }], edges: [{ node: 1, before: 0 }] }],
    [
      'more derived addresses than words',
      {
        slots: [
          { kind: LOAD, base: 1 },
          { kind: LOAD, base: 1 },
        ],
        records: [{ words: 1, slots: 2 }],
      },
    ],
    [
      'a stamp of something that is no atomic',
      { slots: [{ kind: LOAD }], records: [{ words: 1, slots: 1, stamped: true }] },
    ],
    [
      'a stamp in the middle',
      {
        slots: [{ kind: ATOMIC_UPDATE }],
        records: [{ words: 2, slots: 1, stamped: true }, { words: 1 }],
        nodes: [{ records: 2, ends: true }],
      },
    ],
    [
      'an atomic that derives from nothing',
      { slots: [{ kind: ATOMIC_UPDATE, base: 9 }], records: [{ words: 2, slots: 1, stamped: true }] },
    ],
    [
      'words that overlap',
      {
        records: [{ words: 2 }],
        regions: [{ paths: 1, nodes: 2 }],
        nodes: [
          { records: 1, edges: 1 },
          { records: 1, firstWord: 1, ends: true },
        ],
        edges: [{ node: 1, before: 0 }],
      },
    ],
    ['too many words', { records: [{ words: 1 + 2 ** 20 }] }],
    [
      'a loop of several nodes',
      { regions: [{ paths: 1, loop: true, nodes: 2 }], nodes: [{ records: 1, ends: true }, { ends: true }] },
    ],
    ['a loop without records', { regions: [{ paths: 1, loop: true }], nodes: [{ ends: true }] }],
    ['a loop whose slots are not there', { records: [{ words: 1, slots: 1 }], regions: [{ paths: 1, loop: true }] }],
    ['a filler of nothing', { regions: [{ paths: 0, back: 1 }] }],
    ['a filler of a filler', { regions: [{ paths: 0 }] }],
  ])('%s', (_, change) => {
    expect(run({ ...one, ...change }, [step], loop, 1).status).toBe(3);
  });
  test('a path that the region does not have', () => {
    expect(run(one, [{ region: 0, path: 1, words: [1n] }], loop, 1).status).toBe(3);
    expect(run(unit, [{ region: HUNDRED, path: 100, words: [1n] }], loop, 1).status).toBe(3);
  });
  test('words that are not all there', () => {
    expect(run(unit, [{ region: 2, words: [1n] }], loop, 1).status).toBe(4);
  });
  test('a table outside the unit', () => {
    const { bytes } = buildUnit(one);
    bytes.writeUInt32LE(bytes.length, 88);
    bytes.writeUInt32LE(1, 92);
    expect(bench.run([encoder, loop, '1'], {}, `${bytes.toString('hex')}\n`).status).toBe(2);
  });
});
