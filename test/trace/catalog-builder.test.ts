// Units to a catalog: what merges, what is renumbered, what is refused; and the leaves of its types.

import { describe, expect, it } from 'vitest';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import type { Catalog } from '../../src/contract/catalog.js';
import type { ModuleChunk } from '../../src/trace/module-chunk.js';
import { writeUnit } from './unit-writer.js';
import { UnitBuilder } from '../drawn/unit-builder.js';

function catalogOf(...units: UnitBuilder[]): Catalog {
  return buildCatalog([moduleOf(0, units)]);
}

function moduleOf(number: number, units: readonly UnitBuilder[], globals: ModuleChunk['globals'] = []): ModuleChunk {
  return {
    number,
    path: `/m${number}`,
    buildId: '',
    offset: 0,
    globals,
    units: Buffer.concat(units.map((builder) => writeUnit(builder.unit))),
  };
}

function leafPaths(catalog: Catalog, name: string): string[] {
  const type = catalog.types.name.indexOf(name);
  const { base, span, leafAt, path } = catalog.leaves;
  return Array.from({ length: span[type] }, (_, offset) => path[type][leafAt[base[type] + offset]]);
}

/** Consecutive equal strings as "text x count". */
function runs(items: readonly string[]): string {
  const found: [string, number][] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last && last[0] === item) last[1]++;
    else found.push([item, 1]);
  }
  return found.map(([item, count]) => `${item} x${count}`).join(', ');
}

function unitWithStruct(structSize: number): UnitBuilder {
  const builder = new UnitBuilder();
  builder.type('struct', 'struct s', structSize, { members: [{ name: 'a', type: 0, offset: 0 }] });
  return builder;
}

describe('merging', () => {
  it('types of one definition are one; another size is another type, and their names say so', () => {
    const { types } = catalogOf(unitWithStruct(8), unitWithStruct(8), unitWithStruct(16));
    expect(types.tag).toEqual(['', 'struct s', 'struct s']);
    expect(types.name).toEqual(['', 'struct s (drawn.h:1, 8 bytes)', 'struct s (drawn.h:1, 16 bytes)']);
    expect([...types.sizeBytes]).toEqual([0, 8, 16]);
  });

  it('a struct is where it is declared: one header in several folders, two files of one name', () => {
    const unit = (file: string, line: number, member = 'a'): UnitBuilder => {
      const builder = new UnitBuilder();
      const int = builder.type('scalar', 'int', 4);
      builder.type('struct', 'struct s', 8, { members: [{ name: member, type: int, offset: 0 }] });
      Object.assign(builder.unit.types[2], { file, line });
      return builder;
    };
    const [a, b] = ['/p/a\0../include/s.h', '/p/b\0/p/include/./s.h'];
    expect(catalogOf(unit(a, 3), unit(b, 3)).types.name).toEqual(['', 'int', 'struct s']);
    const apart = catalogOf(unit('/p/a\0util.c', 3), unit('/p/b\0util.c', 3), unit('/p/b\0util.c', 9));
    expect(apart.types.name).toEqual([
      '',
      'int',
      'struct s (a/util.c:3)',
      'struct s (b/util.c:3)',
      'struct s (b/util.c:9)',
    ]);
    expect([...apart.files].filter(([spelling]) => spelling !== 'drawn.h')).toEqual([
      ['a/util.c', { name: 'util.c', path: '/p/a/util.c' }],
      ['b/util.c', { name: 'util.c', path: '/p/b/util.c' }],
    ]);
    // A macro may change the layout; its size may stay.
    const { name, layout } = catalogOf(unit(a, 3), unit(b, 3, 'other')).types;
    expect(layout[2]).not.toBe(layout[3]);
    const place = name[2].slice(0, name[2].indexOf(','));
    expect(name.slice(2)).toEqual([2, 3].map((type) => `${place}, 8 bytes, layout ${layout[type]})`));
    expect(place).toMatch(/^struct s \(.*s\.h:3$/);
  });

  it('a type without members takes those that a later unit has', () => {
    const declared = new UnitBuilder();
    declared.type('struct', 'struct s', 8);
    const full = new UnitBuilder();
    const int = full.type('scalar', 'int', 4);
    full.type('struct', 'struct s', 8, { members: [{ name: 'late', type: int, offset: 0 }] });
    const catalog = catalogOf(declared, full);
    expect([...catalog.types.memberCount]).toEqual([0, 1, 0]);
    expect(leafPaths(catalog, 'struct s')).toEqual([
      ...new Array<string>(4).fill('late'),
      ...new Array<string>(4).fill('(padding)'),
    ]);
  });

  it('a struct that a unit knows by its name alone is declared as the one definition that another unit has', () => {
    const build = (): UnitBuilder => {
      const named = new UnitBuilder();
      named.type('struct', 'struct s', 0);
      named.type('struct', 'struct nowhere', 0);
      named.type('union', 'struct s', 0);
      return named;
    };
    const define = (size: number): UnitBuilder => {
      const full = new UnitBuilder();
      const int = full.type('scalar', 'int', 4);
      full.type('struct', 'struct s', size, { members: [{ name: 'late', type: int, offset: 0 }] });
      return full;
    };
    expect([...catalogOf(build(), define(8)).declared]).toEqual([0, 5, 2, 3, 4, 5]);
    expect([...catalogOf(define(8), build()).declared]).toEqual([0, 1, 2, 2, 4, 5]);
    expect([...catalogOf(build(), define(8), define(16)).declared]).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('unnamed types of one size stay apart by where they are declared', () => {
    const builder = new UnitBuilder();
    builder.type('struct', '', 8);
    builder.type('struct', '', 8);
    expect(catalogOf(builder).types.count).toBe(3);
  });

  it('slots, variables and functions of the second unit are renumbered, records in order over modules', () => {
    const build = (name: string): UnitBuilder => {
      const builder = new UnitBuilder();
      const variable = builder.variable('global', `${name}_v`, 0, 8);
      const caller = builder.function(`${name}_f`);
      builder.record('segment', [builder.slot('load', { variable, function: caller })], { function: caller });
      return builder;
    };
    const catalog = buildCatalog([
      moduleOf(0, [build('a'), build('b')]),
      moduleOf(1, [build('c')], [{ address: 0x10n, unit: 0, variable: 1 }]),
    ]);
    const { slots, records, variables, functions, unitFirstVariable, globals } = catalog;
    expect([...slots.variable].map((id) => variables.name[id])).toEqual(['a_v', 'b_v', 'c_v']);
    expect([...slots.function].map((id) => functions.name[id])).toEqual(['a_f', 'b_f', 'c_f']);
    expect([...records.function].map((id) => functions.name[id])).toEqual(['a_f', 'b_f', 'c_f']);
    expect([...records.firstSlot]).toEqual([0, 1, 2]);
    expect([...unitFirstVariable].map((first) => variables.name[first + 1])).toEqual(['a_v', 'b_v', 'c_v']);
    expect(variables.name[globals.variable[0]]).toBe('c_v');
  });

  it('an array of structs is declared as its struct, an array of scalars as itself', () => {
    const builder = new UnitBuilder();
    const int = builder.type('scalar', 'int', 4);
    const item = builder.type('struct', 'struct item', 8);
    builder.type('array', 'struct item[]', 80, { element: item });
    builder.type('array', 'int[]', 40, { element: int });
    expect([...catalogOf(builder).declared]).toEqual([0, 1, 2, 2, 4]);
  });
});

describe('leaves', () => {
  const builder = new UnitBuilder();
  const int = builder.type('scalar', 'int', 4);
  const key = builder.type('struct', 'struct key', 12, {
    members: [
      { name: 'id', type: int, offset: 0 },
      { name: 'salt', type: int, offset: 8 },
    ],
  });
  const keys = builder.type('array', 'struct key[]', 36, { element: key });
  const ints = builder.type('array', 'int[]', 8, { element: int });
  const open = builder.type('array', 'int[]', 0, { element: int });
  const either = builder.type('union', 'union either', 4, { members: [{ name: 'i', type: int, offset: 0 }] });
  const base = builder.type('class', 'Base', 4, { members: [{ name: 'kind', type: int, offset: 0 }] });
  builder.type('class', 'Derived', 12, {
    members: [
      { name: 'Base', type: base, offset: 0, flags: 1 },
      { name: '', type: either, offset: 4 },
      { name: 'own', type: int, offset: 8 },
    ],
  });
  const empty = builder.type('class', 'Empty', 1, { members: [] });
  builder.type('class', 'Compressed', 8, {
    members: [
      { name: 'Empty', type: empty, offset: 0, flags: 1 },
      { name: 'Base', type: base, offset: 0, flags: 1 },
      { name: 'Empty', type: empty, offset: 0, flags: 1 },
      { name: 'less', type: empty, offset: 4 },
    ],
  });
  builder.type('struct', 'struct outer', 60, {
    members: [
      { name: 'keys', type: keys, offset: 0 },
      { name: 'pair', type: key, offset: 36 },
      { name: 'raw', type: ints, offset: 48 },
      { name: 'u', type: either, offset: 56 },
    ],
  });
  builder.type('struct', 'struct bits', 4, {
    members: [
      { name: 'a', type: int, offset: 0, flags: 2 },
      { name: 'b', type: int, offset: 0, flags: 2 },
    ],
  });
  builder.type('struct', 'struct tail', 4, {
    members: [
      { name: 'n', type: int, offset: 0 },
      { name: 'data', type: open, offset: 4 },
    ],
  });
  builder.type('struct', 'struct itself', 8, {
    members: [{ name: 'again', type: builder.unit.types.length, offset: 0 }],
  });
  const catalog = catalogOf(builder);

  it('nested members, arrays of structs, arrays of scalars, a union member, padding', () => {
    expect(runs(leafPaths(catalog, 'struct outer'))).toBe(
      'keys[].id x4, (padding) x4, keys[].salt x4, keys[].id x4, (padding) x4, keys[].salt x4, keys[].id x4, ' +
        '(padding) x4, keys[].salt x4, ' +
        'pair.id x4, (padding) x4, pair.salt x4, raw[] x8, u x4',
    );
  });

  it('a base class is spelled as the outer, an unnamed union is one leaf', () => {
    expect(runs(leafPaths(catalog, 'Derived'))).toBe('kind x4, (union) x4, own x4');
  });

  it('an empty base takes no byte of another one, an empty member its own', () => {
    expect(runs(leafPaths(catalog, 'Compressed'))).toBe('kind x4, less x1, (padding) x3');
  });

  it('bit-fields that share their storage count to the first', () => {
    expect(runs(leafPaths(catalog, 'struct bits'))).toBe('a x4');
  });

  it('a flexible array begins where it begins and has its leaf', () => {
    const type = catalog.types.name.indexOf('struct tail');
    expect(catalog.leaves.flexibleFrom[type]).toBe(4);
    expect(catalog.leaves.path[type][catalog.leaves.flexibleLeaf[type]]).toBe('data[]');
  });

  it('a type that contains itself ends', () => {
    expect(new Set(leafPaths(catalog, 'struct itself')).size).toBe(1);
  });
});

describe('records that do not agree with their slots are refused', () => {
  const refusal = (change: (builder: UnitBuilder) => void): string => {
    const builder = new UnitBuilder();
    change(builder);
    try {
      catalogOf(builder);
      return 'taken';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [
      'words',
      (b: UnitBuilder) => void (b.unit.records[b.record('segment', [b.slot('load')])].words = 2),
      'expected 1 words, as its slots have, found 2',
    ],
    [
      'tag',
      (b: UnitBuilder) => void (b.unit.records[b.record('segment', [])].tag = 9),
      'expected a tag from 1 to 4, found 9',
    ],
    [
      'an atomic in the middle',
      (b: UnitBuilder) => void b.record('segment', [b.slot('atomicLoad'), b.slot('load')]),
      'an atomic only as the last slot',
    ],
    [
      'a copy without a store',
      (b: UnitBuilder) => void b.record('segment', [b.slot('copyLoad'), b.slot('load')]),
      'a COPY_STORE after a COPY_LOAD',
    ],
    [
      'too many lanes',
      (b: UnitBuilder) => void b.record('segment', [b.slot('gather', { lanes: 65 })]),
      'at most 64 lanes, found 65',
    ],
    [
      'a dynamic load',
      (b: UnitBuilder) => void b.record('segment', [b.slot('load', { sizeBytes: 0xffffffff })]),
      'expected a fixed size',
    ],
    [
      'references in a marker',
      (b: UnitBuilder) => void b.record('marker', [b.slot('load')]),
      'no references outside segments',
    ],
  ])('%s', (_, change, message) => {
    expect(refusal(change)).toContain(message);
  });

  it('and the same records in order are taken', () => {
    expect(
      refusal(
        (b) =>
          void b.record('segment', [b.slot('load'), b.slot('copyLoad'), b.slot('copyStore'), b.slot('atomicLoad')]),
      ),
    ).toBe('taken');
  });
});
