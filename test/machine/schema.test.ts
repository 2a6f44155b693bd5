// Stage: test. The JSON Schema that is shipped, and what dprof reads, say the same of every field.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DprofError } from '../../src/base/dprof-error.js';
import { describeMachineFile } from '../../src/machine/machine-file.js';
import { MACHINE_FIELDS, type FieldTable } from '../../src/machine/machine-fields.js';
import { machineSchema } from '../../src/machine/machine-schema.js';
import { machineText } from '../../src/machine/machine-text.js';
import { PRESETS } from '../../src/machine/presets.js';
import { accepts, type Schema } from './json-schema.js';

const shipped = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/machine.schema.json'), 'utf8')) as Schema;

test('docs/machine.schema.json is what the table of fields says (dprof machines --schema prints it)', () => {
  expect(shipped).toEqual(JSON.parse(JSON.stringify(machineSchema())));
});

test('every field of the table is in the schema, and no other', () => {
  const namesOf = (fields: FieldTable): unknown =>
    Object.fromEntries(
      Object.entries(fields).map(([name, rule]) => [name, rule.kind === 'group' ? namesOf(rule.fields) : rule.kind]),
    );
  const walk = (schema: Schema): unknown => {
    const object =
      schema.properties === undefined
        ? (schema.anyOf as Schema[] | undefined)?.find(({ properties }) => properties !== undefined)
        : schema;
    if (object === undefined) return null;
    return Object.fromEntries(
      Object.entries(object.properties as Record<string, Schema>).map(([name, one]) => [name, walk(one)]),
    );
  };
  const withoutKinds = (names: unknown): unknown =>
    typeof names === 'string'
      ? null
      : Object.fromEntries(Object.entries(names as object).map(([name, one]) => [name, withoutKinds(one)]));
  expect(walk(shipped)).toEqual(withoutKinds(namesOf(MACHINE_FIELDS)));
});

/** Each field's path, and values at and beyond the limits that its schema names. */
function samples(schema: Schema, path: string[]): [path: string[], value: unknown][] {
  const here = [...POOL, ...limits(schema)].map((value): [string[], unknown] => [path, value]);
  const inside = [schema, ...((schema.anyOf as Schema[] | undefined) ?? [])].flatMap((one) =>
    Object.entries((one.properties as Record<string, Schema> | undefined) ?? {}).flatMap(([name, field]) =>
      samples(field, [...path, name]),
    ),
  );
  return [...(path.length === 0 ? [] : here), ...inside];
}

const POOL: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1,
  1.5,
  64,
  4096,
  1e300,
  '',
  ' 64',
  '64',
  '0',
  '007',
  '4K',
  '4k',
  '4KiB',
  '4Kib',
  '1.5M',
  '2M',
  '999G',
  '1000G',
  '9999999999999',
  '-4K',
  '32K/8',
  '32K/0',
  '32K/8/2',
  '64/4',
  '64/4,1536/12',
  '64/4,',
  '64/4,1/1,1/1',
  'none',
  'lru',
  'mesi',
  'LRU',
  'zen3',
  'host ',
  [],
  {},
  [1],
  ['stride'],
  ['stride', 'stride'],
  ['stride', 'next-line'],
  'stride',
  { entries: 4 },
  { ways: 'x' },
  { size: 3 },
  { __proto__: null, toString: 1 },
  { l1: '64/4' },
  { l2: 'none' },
  { sizeBytes: '4K' },
];

function limits(schema: Schema): unknown[] {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  const numbers = [minimum, maximum].flatMap((limit) => (limit === undefined ? [] : [limit - 1, limit, limit + 1]));
  return [
    ...numbers,
    ...((schema.enum as unknown[] | undefined) ?? []),
    ...((schema.anyOf as Schema[] | undefined) ?? []).flatMap(limits),
  ];
}

/** On a base that has everything, so that no part is missing. */
function isRead(json: Record<string, unknown>): boolean {
  try {
    describeMachineFile('sample', json);
    return true;
  } catch (error) {
    if (error instanceof DprofError) return false;
    throw error;
  }
}

test('what the schema accepts is read, and what it refuses is refused', () => {
  const all = samples(shipped, []);
  const outcomes = all.map(([path, value]) => {
    const inner = path.reduceRight((inside, name) => ({ [name]: inside }) as never, value) as Record<string, unknown>;
    const json = { ...(path[0] === 'base' ? {} : { base: 'zen3' }), ...inner };
    return { json: JSON.stringify(json), schema: accepts(shipped, json), reader: isRead(json) };
  });
  expect(outcomes.filter(({ schema, reader }) => schema !== reader)).toEqual([]);
  const accepted = outcomes.filter(({ reader }) => reader).length;
  expect([outcomes.length > 2000, accepted > 300, outcomes.length - accepted > 1500]).toEqual([true, true, true]);
});

test('unknown fields are refused by both, at every depth', () => {
  for (const json of [
    { l4: '1M/16' },
    { l1: { size: 3 } },
    { llc: { prefetchers: [] } },
    { l1: { inclusion: 'inclusive' } },
    { tlb: { l1: { pages: 3 } } },
    JSON.parse('{"__proto__": {"cores": 3}}'),
    { constructor: 1 },
  ]) {
    expect([JSON.stringify(json), accepts(shipped, json), isRead(json)]).toEqual([JSON.stringify(json), false, false]);
  }
});

test('every preset, printed, is a file of the schema', () => {
  for (const { describe } of Object.values(PRESETS))
    expect(accepts(shipped, JSON.parse(machineText(describe())))).toBe(true);
});
