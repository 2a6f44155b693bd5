// Stage: test. What is worth watching, of samples that are drawn.

import { expect, test } from 'vitest';
import { choosePopular, type PopularChoice } from '../../src/hardware/samples/popular-slots.js';
import { drawTypedSamples, NO_LIVES, type DrawnRow } from './drawn-samples.js';

const field = (path: string, offset: number, bytes: number) => ({ path, offset, bytes });
const ALIVE = { ...NO_LIVES, allocations: 9 };
const TYPES = [
  {
    name: 'struct packet',
    bytes: 28,
    fields: [
      field('length', 0, 8),
      field('kind', 8, 4),
      field('state', 12, 4),
      field('sum', 16, 8),
      field('tag', 24, 4),
    ],
  },
  { name: 'struct table', bytes: 4096, fields: [field('slots[]', 0, 4096)], lives: ALIVE },
  { name: 'struct never', bytes: 8, fields: [field('x', 0, 8)], lives: NO_LIVES },
  { name: 'int[]', bytes: 4 },
];
const ROWS: DrawnRow[] = [
  { what: 'struct packet.length', at: 'send net.c:1', samples: 900 },
  { what: 'struct packet.kind', at: 'send net.c:2', from: 'L3', samples: 3 },
  { what: 'struct packet.state', at: 'send net.c:3', op: 'store', from: 'memory', samples: 4 },
  { what: 'struct packet.tag', at: 'send net.c:4', samples: 7 },
  { what: 'struct table.slots[]', at: 'find net.c:5', from: 'memory', samples: 12 },
  { what: 'struct never', at: 'find net.c:6', from: 'memory', samples: 500 },
  { what: 'int[]', at: 'find net.c:7', from: 'memory', samples: 500 },
  { what: '', at: 'find net.c:8', from: 'memory', samples: 500 },
];

const spell = ({ types }: PopularChoice) =>
  types.map(({ name, samples, misses, slots, sampledSlots }) => [
    name,
    samples,
    misses,
    sampledSlots,
    ...slots.map((slot) => `${slot.offset}+${slot.bytes} ${slot.fields.join(' ')}: ${slot.samples}, ${slot.misses}`),
  ]);

test(
  'types by L1 misses, slots by accesses, each sample as what it stands for; not what is never allocated, nor ' +
    'what is no struct',
  () => {
    const choice = choosePopular(drawTypedSamples({ types: TYPES, rows: ROWS }), { types: 4, slots: 2, width: 8 });
    // 3 loads of 20,000 and 4 stores of 50,000 of packet missed: 260,000; 12 loads of table: 240,000.
    expect(spell(choice)).toEqual([
      ['struct packet', 914, 7, 3, '0+8 length: 900, 0', '8+8 kind state: 7, 7'],
      ['struct table', 12, 12, 1, '0+8 slots[]: 12, 12'],
    ]);
    expect(choice).toMatchObject({
      by: 'misses',
      sampledTypes: 2,
      all: {
        samples: 2426,
        misses: 1519,
        accesses: 2422n * 20_000n + 4n * 50_000n,
        missedAccesses: 1515n * 20_000n + 4n * 50_000n,
      },
    });
    expect(choice.types[0]).toMatchObject({ accesses: 910n * 20_000n + 4n * 50_000n, missedAccesses: 260_000n });
  },
);

test('the end of a type is cut into smaller slots, as the collector cuts it', () => {
  const choice = choosePopular(drawTypedSamples({ types: TYPES, rows: ROWS }), { types: 1, slots: 9, width: 8 });
  expect(spell(choice)).toEqual([
    ['struct packet', 914, 7, 3, '0+8 length: 900, 0', '8+8 kind state: 7, 7', '24+4 tag: 7, 0'],
  ]);
});

test('where no sample says what it missed, by samples', () => {
  const rows = ROWS.map((row): DrawnRow => ({ ...row, from: 'unknown' }));
  const choice = choosePopular(drawTypedSamples({ types: TYPES, rows }), { types: 1, slots: 1, width: 4 });
  expect([choice.by, ...spell(choice)]).toEqual(['samples', ['struct packet', 914, 0, 4, '0+4 length: 900, 0']]);
});

test('types without a miss are not chosen where misses are known', () => {
  const rows: DrawnRow[] = [
    { what: 'struct packet.length', at: 'send net.c:1', samples: 900 },
    { what: 'struct table', at: 'find net.c:2', from: 'L2', samples: 1 },
  ];
  expect(spell(choosePopular(drawTypedSamples({ types: TYPES, rows }), { types: 4, slots: 1, width: 8 }))).toEqual([
    ['struct table', 1, 1, 1, '0+8 slots[]: 1, 1'],
  ]);
});
