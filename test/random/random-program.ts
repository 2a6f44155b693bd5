// The static half of a random trace: a unit with types, variables, functions and records of every kind, and its
// globals.

import { RecordFlag } from '../../src/trace/layout.js';
import type { ModuleGlobal } from '../../src/trace/module-chunk.js';
import type { Unit, UnitSlot } from '../../src/trace/unit.js';
import { DYNAMIC, UnitBuilder } from '../drawn/unit-builder.js';
import type { RandomNumbers } from './random-numbers.js';
import { randomRegions } from './random-regions.js';

export const GLOBALS_AT = 0x4000;
export const THREAD_LOCALS_AT = 0x8000;
export const STACKS_AT = 0x70_0000;
export const STACK_BYTES = 0x1000;

export interface RandomProgram {
  readonly unit: Unit;
  readonly globals: readonly ModuleGlobal[];
  /** Path 0 of each region of segments. */
  readonly regions: readonly number[];
  /** Paths of one record, as are those below. */
  readonly allocations: readonly number[];
  readonly frees: readonly number[];
  /** Function entries that open frames. */
  readonly entries: readonly {
    readonly path: number;
    readonly function: number;
    readonly offsets: readonly number[];
  }[];
  /** By function: its EXIT. */
  readonly exitOf: readonly number[];
  readonly threadLocals: readonly number[];
}

export function randomProgram(random: RandomNumbers): RandomProgram {
  const builder = new UnitBuilder();
  const int = builder.type('scalar', 'int', 4);
  const long = builder.type('scalar', 'long', 8);
  const pair = builder.type('struct', 'struct pair', 16, {
    members: [
      { name: 'left', type: long, offset: 0 },
      { name: 'right', type: int, offset: 8 },
    ],
  });
  const pairs = builder.type('array', 'struct pair[]', 48, { element: pair });
  const tail = builder.type('array', 'int[]', 0, { element: int });
  const choice = builder.type('union', 'union choice', 8, {
    members: [
      { name: 'i', type: int, offset: 0 },
      { name: 'l', type: long, offset: 0 },
    ],
  });
  const table = builder.type('struct', 'struct table', 72, {
    members: [
      { name: 'slots', type: pairs, offset: 0 },
      { name: 'choice', type: choice, offset: 48 },
      { name: 'used', type: int, offset: 56 },
    ],
  });
  const list = builder.type('class', 'ns::List', 8, {
    members: [
      { name: 'length', type: int, offset: 0 },
      { name: 'tail', type: tail, offset: 8 },
    ],
  });
  const bytes = builder.type('array', 'char[]', 64, { element: builder.type('scalar', 'char', 1) });
  const records = [pair, table, list, choice];
  const types = [0, int, long, ...records, pairs, bytes];
  const functions = ['main', 'worker', 'helper'].map((name) => builder.function(name));

  const globalVariables: [number, number][] = [
    [builder.variable('global', 'counter', long, 8), 0],
    [builder.variable('global', 'table', table, 72), 8],
    [builder.variable('global', 'buffer', bytes, 64), 0x80],
    [builder.variable('global', 'opaque', 0, 100), 0x100],
    [builder.variable('global', 'inside', pair, 16), 0x90],
  ];
  const threadLocals = [
    builder.variable('threadLocal', 'mine', pair, 16),
    builder.variable('threadLocal', 'cache', 0, 40),
  ];
  const stackVariables = [
    builder.variable('stack', 'local', pair, 16),
    builder.variable('stack', 'scratch', bytes, 64),
    builder.variable('stack', 'raw', 0, 24),
  ];

  const slot = (
    kind: Parameters<UnitBuilder['slot']>[0],
    sizeBytes: number,
    more: { lanes?: number } = {},
  ): UnitSlot => {
    const type = random.pick(types);
    return builder.slot(kind, {
      sizeBytes,
      type,
      path: records.includes(type) && random.chance(50) ? random.pick(['left', 'used', 'slots[].right']) : '',
      variable: random.chance(25) ? globalVariables[random.below(globalVariables.length)][0] : 0,
      line: builder.unit.slots.length + 1,
      function: random.pick(functions),
      ...more,
    });
  };
  const size = (): number => random.pick([1, 2, 4, 8, 8, 16, 32, 64]);
  const loadPercent = random.pick([40, 60, 95]);
  const valuePercent = random.pick([0, 0, 30, 100]);
  const value = (): UnitSlot[] =>
    random.chance(valuePercent) ? [builder.slot('value', { sizeBytes: random.between(1, 8) })] : [];
  const plain = (): UnitSlot[] => [slot(random.chance(loadPercent) ? 'load' : 'store', size()), ...value()];
  const block = (): UnitSlot[] => {
    const sizeBytes = random.chance(50) ? DYNAMIC : random.pick([3, 16, 72, 200]);
    return random.chance(50)
      ? [slot(random.chance(50) ? 'fill' : 'scan', sizeBytes)]
      : [slot('copyLoad', sizeBytes), slot('copyStore', sizeBytes)];
  };
  const vector = (): UnitSlot =>
    slot(random.pick(['maskedLoad', 'maskedStore', 'gather', 'scatter'] as const), random.pick([4, 8]), {
      lanes: random.pick([2, 4, 8]),
    });
  const atomic = (): UnitSlot =>
    slot(random.pick(['atomicLoad', 'atomicStore', 'atomicUpdate', 'atomicResult'] as const), random.pick([4, 8]));

  const regions = randomRegions(builder, random, functions, (isStamped) => {
    const slots: UnitSlot[] = Array.from({ length: random.between(1, 3) }, plain).flat();
    const extra = random.below(6);
    if (extra === 1) slots.push(...block());
    if (extra === 2) slots.push(vector());
    if (isStamped) slots.push(...value(), atomic());
    return slots;
  });
  const site = (type: number, offset: number): UnitSlot =>
    builder.slot('site', { sizeBytes: 0, type, offset, line: 100, function: random.pick(functions) });
  const allocations = [0, int, pair, table, pairs, list, bytes].map((type) =>
    builder.alone('allocation', [site(type, type === pairs ? 8 : 0)]),
  );
  const frees = [1, 2].map(() => builder.alone('free', [site(0, 0)]));
  const exitOf: number[] = [];
  const entries = functions.flatMap((functionId, index) => {
    exitOf[functionId] = builder.alone('marker', [], {
      flags: RecordFlag.exit | RecordFlag.frame,
      function: functionId,
    });
    const variables = index === 0 ? [0, 1] : index === 1 ? [1, 2] : [2];
    const given = variables.flatMap(() =>
      random.chance(valuePercent) ? [builder.slot('argument', { variable: stackVariables[0] })] : [],
    );
    const slots = variables.map((which) =>
      builder.slot('object', { sizeBytes: [16, 64, 24][which], variable: stackVariables[which], line: 200 + which }),
    );
    const flags = RecordFlag.entry | RecordFlag.frame;
    const offsets = [...given.map(() => 1), ...variables.map((which) => [8, 32, 100][which])];
    const path = builder.alone('marker', [...given, ...slots], { flags, function: functionId });
    const anonymous = builder.alone('marker', [builder.slot('object', { sizeBytes: 24, type: pair, line: 300 })], {
      flags,
      function: functionId,
    });
    return [
      { path, function: functionId, offsets },
      { path: anonymous, function: functionId, offsets: [0x10] },
    ];
  });
  const globals = globalVariables.map(([variable, offset]) => ({
    address: BigInt(GLOBALS_AT + offset),
    unit: 0,
    variable,
  }));
  return { unit: builder.unit, globals, regions, allocations, frees, entries, exitOf, threadLocals };
}
