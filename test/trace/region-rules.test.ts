// Units whose regions, nodes, edges or derived slots contradict themselves: each is refused with what was expected and
// what was found.

import { describe, expect, it } from 'vitest';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import type { Unit } from '../../src/trace/unit.js';
import { writeUnit } from './unit-writer.js';
import { addLoop, addRegion, countPaths, type RegionNode } from '../drawn/region-builder.js';
import { DYNAMIC, UnitBuilder } from '../drawn/unit-builder.js';

/** 2^`count` paths. */
function diamonds(count: number, record: number): RegionNode[] {
  const nodes = Array.from({ length: count }, (_, index) => [
    { records: [record], to: [2 * index + 1, 2 * index + 2] },
    { records: [record], to: [2 * index + 2] },
  ]);
  return [...nodes.flat(), { records: [record] }];
}

function sound(): Unit {
  const builder = new UnitBuilder();
  const first = builder.slot('load');
  const record = builder.record('segment', [
    first,
    builder.slot('store', { base: 1, delta: 8 }),
    builder.slot('gather', { lanes: 2 }),
  ]);
  for (const count of [3, 5, 6]) addRegion(builder.unit, diamonds(count, record));
  return builder.unit;
}

/** A copy of the first region's nodes, with the same edges. */
function shareEdges(unit: Unit): void {
  unit.regions.push({ ...unit.regions[0], firstNode: unit.nodes.length });
  unit.nodes.push(...unit.nodes.slice(0, unit.regions[0].nodeCount));
}

function refusal(change: (unit: Unit) => void): string {
  const unit = sound();
  change(unit);
  try {
    buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(unit) }]);
    return 'taken';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('regions', () => {
  it('the sound unit is taken: 8, 32 and 64 paths, one filler', () => {
    expect([3, 5, 6].map((count) => countPaths(diamonds(count, 0))[0])).toEqual([8, 32, 64]);
    expect(sound().regions.map(({ pathCount, back }) => [pathCount, back])).toEqual([
      [8, 0],
      [32, 0],
      [64, 0],
      [0, 1],
    ]);
    expect(refusal(() => {})).toBe('taken');
  });

  it.each<[string, (unit: Unit) => void, string]>([
    ['no nodes', (u) => void (u.regions[0].nodeCount = 0), 'region 0 at offset 0: expected a node, found none'],
    [
      'nodes beyond the table',
      (u) => void (u.regions[0].firstNode = 90),
      'nodes of a region in the units column at offset',
    ],
    [
      'nodes of another',
      (u) => void u.regions.push({ ...u.regions[0] }),
      'expected nodes of its own, found nodes of another region',
    ],
    [
      'a region that points back',
      (u) => void (u.regions[1].back = 1),
      'region 1 at offset 0: expected 0 entries back, found 1',
    ],
    [
      'a filler first',
      (u) => void (u.regions[0].pathCount = 0),
      'region 0 at offset 0: expected a region, or a filler behind its region',
    ],
    ['a filler too few', (u) => void u.regions.pop(), 'expected 1 fillers behind its 64 paths, found 0'],
    [
      'a filler too many',
      (u) => void u.regions.push({ pathCount: 0, firstNode: 0, nodeCount: 0, back: 2, isLoop: false }),
      'region 4 at offset 0: expected a region',
    ],
    ['a filler that points elsewhere', (u) => void (u.regions[3].back = 2), 'expected 1 fillers'],
    [
      'more paths than its fillers hold',
      (u) => void (u.regions[1].pathCount = 33),
      'expected 1 fillers behind its 33 paths, found 0',
    ],
  ])('%s', (_, change, message) => {
    expect(refusal(change)).toContain(message);
  });
});

describe('nodes and edges', () => {
  it.each<[string, (unit: Unit) => void, string]>([
    ['an edge to itself', (u) => void (u.edges[0].node = 0), 'expected an edge from node 0 to one of 1 to 6, found 0'],
    ['an edge backwards', (u) => void (u.edges[5].node = 1), 'expected an edge from node 3 to one of 4 to 6, found 1'],
    ['an edge out of the region', (u) => void (u.edges[0].node = 7), 'found 7'],
    [
      'paths before an edge that do not rise',
      (u) => void (u.edges[1].before = 0),
      'expected more than 0 paths before an edge of node 0, found 0',
    ],
    ['edges of another', shareEdges, 'expected edges of its own, found edges of another node'],
    ['no way on', (u) => void (u.nodes[0].edgeCount = 0), 'expected ENDS or an edge, found node 0 without'],
    ['the last node without ENDS', (u) => void (u.nodes[6].ends = false), 'found node 6 without'],
    [
      'words that overlap',
      (u) => void (u.nodes[1].firstWord = 2),
      'expected node 1 from word 3 on, behind node 0, found from word 2 on',
    ],
    ['records beyond the table', (u) => void (u.nodes[0].recordCount = 2), 'records of a node in the units column'],
    ['edges beyond the table', (u) => void (u.nodes[0].firstEdge = 0xffffffff), 'edges of a node in the units column'],
  ])('%s', (_, change, message) => {
    expect(refusal(change)).toContain(message);
  });
});

describe('loops', () => {
  function refusalOfLoop(change: (unit: Unit) => void): string {
    const builder = new UnitBuilder();
    const first = builder.record('segment', [
      builder.slot('load', { delta: 8 }),
      builder.slot('store', { base: 1, delta: 4 }),
    ]);
    addLoop(builder.unit, [first, builder.record('segment', [builder.slot('fill', { sizeBytes: 40 })])]);
    change(builder.unit);
    try {
      buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(builder.unit) }]);
      return 'taken';
    } catch (error) {
      return (error as Error).message;
    }
  }

  it.each<[string, (unit: Unit) => void, string]>([
    ['the sound one', () => {}, 'taken'],
    [
      'two nodes',
      (u) => void (u.nodes.push({ ...u.nodes[0] }), (u.regions[0].nodeCount = 2)),
      'expected one node in a loop, found 2',
    ],
    [
      'an edge',
      (u) => void (u.edges.push({ node: 0, before: 0 }), (u.nodes[0].edgeCount = 1)),
      'expected a loop without edges, found 1',
    ],
    [
      'more paths than records',
      (u) => void (u.regions[0].pathCount = 3),
      'expected 2 paths, as an iteration of the loop has records, found 3',
    ],
    ['an entry', (u) => void (u.records[0].flags = 1), 'expected segments without entry, exit or stamp in a loop'],
    ['an allocation', (u) => void Object.assign(u.records[1], { tag: 2, words: 3 }), 'expected'],
    [
      'a length that may change',
      (u) => void ((u.slots[2].sizeBytes = DYNAMIC), (u.records[1].words = 2)),
      'expected loads, stores and blocks of static size in a loop, found slot kind 9',
    ],
    ['a gather', (u) => void Object.assign(u.slots[2], { kind: 12, lanes: 1 }), 'found slot kind 12'],
    [
      'a slot twice',
      (u) => void Object.assign(u.records[1], { firstSlot: 0, slotCount: 2, words: 2 }),
      'expected each slot once in a loop, found slot 0 twice',
    ],
  ])('%s', (_, change, message) => {
    expect(refusalOfLoop(change)).toContain(message);
  });
});

describe('derived slots', () => {
  it.each<[string, (unit: Unit) => void, string]>([
    ['a base beyond the table', (u) => void (u.slots[1].base = 4), 'base of a slot in the units column'],
    ['itself as base', (u) => void (u.slots[1].base = 2), 'expected a base that is logged, found a derived one'],
    ['a gather as base', (u) => void (u.slots[1].base = 3), 'expected a base of one address, found slot kind 12'],
    ['a gather that derives', (u) => void (u.slots[2].base = 1), 'expected a slot of one address, found slot kind 12'],
  ])('%s', (_, change, message) => {
    expect(refusal(change)).toContain(message);
  });
});

describe('values and arguments', () => {
  function refusalOf(
    slots: readonly Parameters<UnitBuilder['slot']>[],
    more: { tag?: 'segment' | 'marker'; flags?: number } = {},
  ): string {
    const builder = new UnitBuilder();
    const record = builder.record(
      more.tag ?? 'segment',
      slots.map((slot) => builder.slot(...slot)),
      { flags: more.flags ?? 0 },
    );
    addRegion(builder.unit, [{ records: [record] }]);
    try {
      buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(builder.unit) }]);
      return 'taken';
    } catch (error) {
      return (error as Error).message;
    }
  }

  const ENTRY = { flags: 1 };
  it.each<[string, Parameters<typeof refusalOf>, string]>([
    ['behind a load and a store', [[['load'], ['value'], ['store'], ['value']]], 'taken'],
    ['before an atomic', [[['load'], ['value'], ['value'], ['atomicResult']]], 'taken'],
    ['before an atomic that is behind something without', [[['gather'], ['value'], ['atomicLoad']]], 'taken'],
    [
      'two of one access',
      [[['load'], ['value'], ['value']]],
      'expected a VALUE behind a LOAD or STORE, or before an atomic, found it behind slot kind 16',
    ],
    ['of nothing', [[['value'], ['load']]], 'found it behind slot kind none'],
    ['of a copy', [[['copyLoad'], ['copyStore'], ['value']]], 'found it behind slot kind 8'],
    ['of an object', [[['object'], ['value']], ENTRY], 'found it behind slot kind 14'],
    [
      'a value of more than a word',
      [[['load'], ['value', { sizeBytes: 9 }]]],
      'expected a value of at most 8 bytes, found 9',
    ],
    [
      'a value without an end',
      [[['load'], ['value', { sizeBytes: DYNAMIC }]]],
      'expected a value of at most 8 bytes, found 4294967295',
    ],
    ['a derived one', [[['load'], ['value', { base: 1 }]]], 'expected a slot of one address, found slot kind 16'],
    [
      'an address derived from one',
      [[['load'], ['value'], ['load', { base: 2 }]]],
      'expected a base of one address, found slot kind 16',
    ],
    [
      'a value at an entry without references',
      [[['value']], { tag: 'marker', ...ENTRY }],
      'found it behind slot kind none',
    ],
    [
      'arguments and objects at an entry',
      [[['argument'], ['object'], ['argument']], { tag: 'marker', ...ENTRY }],
      'taken',
    ],
    ['arguments before accesses', [[['argument'], ['load'], ['value']], ENTRY], 'taken'],
    ['an argument and an atomic', [[['argument'], ['atomicStore']], ENTRY], 'taken'],
    [
      'an argument inside a function',
      [[['argument'], ['load']]],
      'expected an ARGUMENT only in a record with ENTRY, found flags 0',
    ],
    [
      'an argument at an exit',
      [[['argument']], { tag: 'marker', flags: 2 }],
      'expected an ARGUMENT only in a record with ENTRY, found flags 2',
    ],
    [
      'an argument behind an access',
      [[['load'], ['argument']], ENTRY],
      'expected an ARGUMENT before all accesses, found it behind slot kind 1',
    ],
    [
      'an argument of an allocation',
      [[['site'], ['argument']], ENTRY],
      'expected an ARGUMENT before all accesses, found it behind slot kind 0',
    ],
  ])('%s', (_, parameters, message) => {
    expect(refusalOf(...parameters)).toContain(message);
  });

  it('a loop that is recorded once has none', () => {
    const builder = new UnitBuilder();
    addLoop(builder.unit, [builder.record('segment', [builder.slot('load', { delta: 8 }), builder.slot('value')])]);
    expect(() =>
      buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(builder.unit) }]),
    ).toThrow('found slot kind 16');
  });

  it('a kind of slot that nobody knows is refused with the kinds there are', () => {
    const unit = sound();
    unit.slots[0].kind = 18;
    expect(() =>
      buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: writeUnit(unit) }]),
    ).toThrow(/slot kind in the units column at offset \d+: expected one of 0, 1, .*17, found 18/);
  });
});

it('refusals are summed over units by reason', () => {
  const units = [
    [3, 4],
    [5, 0],
  ].map(([volatile, inline]) => ({
    ...sound(),
    refusals: [
      { reason: 'volatile', count: volatile },
      { reason: 'inline assembly', count: inline },
    ],
  }));
  const catalog = buildCatalog([
    { number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: Buffer.concat(units.map(writeUnit)) },
  ]);
  expect(catalog.refusals).toEqual([
    { reason: 'volatile', count: 8 },
    { reason: 'inline assembly', count: 4 },
  ]);
});

it('a unit of another version says what to do', () => {
  const bytes = writeUnit(sound());
  bytes.writeUInt32LE(1, 4);
  expect(() => buildCatalog([{ number: 0, path: 'm', buildId: '', offset: 0, globals: [], units: bytes }])).toThrow(
    expect.objectContaining({
      message: 'unit version in the units column at offset 4: expected 4, found 1',
      hint: expect.stringContaining('compile all of it'),
    }),
  );
});
