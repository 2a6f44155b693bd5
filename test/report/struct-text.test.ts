// A struct of an advice as text: offsets and bytes as pahole has them, holes, borders of cache lines, what is folded.

import { expect, test } from 'vitest';
import type { LaidField, LaidStruct } from '../../src/advise/changed-structs.js';
import { renderStruct } from '../../src/report/struct-text.js';
import { measureLayout } from '../../src/views/annotated-type.js';

type Drawn = [name: string, type: string, offset: number, size: number, use: LaidField['use'], references: number];

function field([name, type, offsetBytes, sizeBytes, use, references]: Drawn, more: Partial<LaidField> = {}): LaidField {
  return { name, type, offsetBytes, sizeBytes, use, references, cycles: 0, ...more };
}

function struct(sizeBytes: number, fields: readonly LaidField[], more: Partial<LaidStruct> = {}): LaidStruct {
  const type = { name: 'struct record', kind: 'struct' as const, sizeBytes };
  const facts = measureLayout({ ...type, members: fields });
  return { ...type, cacheLines: Math.ceil(sizeBytes / 64), ...facts, references: 200, cycles: 0, fields, ...more };
}

test('holes, borders, bit-fields, members without a name, alignment', () => {
  const text = renderStruct(
    struct(
      144,
      [
        field(['kind', 'char', 0, 1, 'hot', 100]),
        field(['next', 'struct record *', 8, 8, 'hot', 60]),
        field(['name', 'char', 16, 40, 'never used', 0], { elements: 40 }),
        field(['low', 'unsigned int', 56, 4, 'cold', 2], { isBitField: true, firstBit: 0, bits: 3 }),
        field(['high', 'unsigned int', 56, 4, 'cold', 1], { isBitField: true, firstBit: 3, bits: 7 }),
        field(['', 'union (anonymous at a.c:7)', 60, 8, 'cold', 1]),
        field(['weight', 'double', 72, 8, 'hot', 36], { alignBytes: 8 }),
        field(['pad', 'unsigned char', 80, 60, 'new', 0], { elements: 60 }),
      ],
      { alignBytes: 16 },
    ),
    64,
    77,
  );
  expect(text.join('\n')).toBe(`\
struct alignas(16) record {   /* offset  size */  accesses
    char kind;                /*      0     1 */     50.0%  hot
    /* XXX 7 bytes hole */
    struct record *next;      /*      8     8 */     30.0%  hot
    char name[40];            /*     16    40 */      0.0%  never used
    unsigned int low:3;       /*   56:0     4 */      1.0%  cold
    unsigned int high:7;      /*   56:3     4 */      0.5%  cold
    /* XXX 22 bits hole */
    union { ... };            /*     60     8 */      0.5%  cold
    /* --- cacheline 1 boundary (64 bytes) was 4 bytes ago --- */
    /* XXX 4 bytes hole */
    alignas(8) double weight; /*     72     8 */     18.0%  hot
    unsigned char pad[60];    /*     80    60 */            new
    /* --- cacheline 2 boundary (128 bytes) was 12 bytes ago --- */
    /* XXX 4 bytes padding */
    /* size: 144, cachelines: 3, members: 8 */
    /* sum members: 125, holes: 2, sum holes: 11 */
    /* sum bitfield members: 10 bits, bit holes: 1, sum bit holes: 22 bits */
    /* padding: 4 */
};`);
});

test('of a large struct cold fields that stand side by side are one line', () => {
  const cold = Array.from({ length: 12 }, (_, at) =>
    field([`cold${at}`, 'long', 8 + at * 8, 8, at === 3 ? 'cold' : 'never used', at === 3 ? 2 : 0]),
  );
  const behind = ['x', 'y'].map((name, at) => field([name, 'long', 112 + at * 8, 8, 'never used', 0]));
  const fields = [
    field(['key', 'long', 0, 8, 'hot', 150]),
    ...cold,
    field(['hot', 'long', 104, 8, 'hot', 48]),
    ...behind,
  ];
  expect(renderStruct(struct(128, fields), 64, 77).join('\n')).toBe(`\
struct record {   /* offset  size */  accesses
    long key;     /*      0     8 */     75.0%  hot
    ... 12 fields /*      8    96 */      1.0%  cold
    /* --- cacheline 1 boundary (64 bytes) was 40 bytes ago --- */
    long hot;     /*    104     8 */     24.0%  hot
    long x;       /*    112     8 */      0.0%  never used
    long y;       /*    120     8 */      0.0%  never used
    /* size: 128, cachelines: 2, members: 16 */
};`);
});

test('a declaration that is too long keeps its ends', () => {
  const name = 'std::map<std::string, std::vector<unsigned long>>';
  const [, line] = renderStruct(struct(48, [field(['by_name', name, 0, 48, 'hot', 200])]), 64, 77);
  expect(line.length).toBeLessThanOrEqual(77);
  expect(line).toMatch(/^ {4}std::map<.*….*by_name; +\/\* +0 +48 \*\/ +100\.0% {2}hot$/);
});

test('numbers of a large struct stand apart', () => {
  const [, line] = renderStruct(struct(262144, [field(['cells', 'float', 0, 262144, 'hot', 200])]), 64, 77);
  expect(line).toBe('    float cells; /*      0  262144 */    100.0%  hot');
});
