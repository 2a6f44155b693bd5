// What a patch says to look out for, and where it was looked for; sources that are not as they were.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compiled, patched } from './patched-source.js';

const HEADER = `#pragma once
typedef struct node {
  char kind;
  struct node *next;
} node_t;
`;

const FIRST = `#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "node.h"
struct prefix { char kind; };
struct node zero = {0}, named = {.next = 0, .kind = 1}, first = {1, NULL};
node_t both[] = {{.kind = 1}, {2, both}};
size_t at(void) { return offsetof(struct node, next); }
int same(const struct node *a, const struct node *b) { return memcmp(a, b, sizeof *a) == 0; }
void save(node_t *one, FILE *file) { fwrite(one, sizeof *one, 1, file); }
char kindOf(struct node *one) { return ((struct prefix *)one)->kind; }
void clear(struct node *one) { memset(one, 0, sizeof *one); }
`;

const SECOND = `#include "node.h"
_Static_assert(sizeof(struct node) == 16, "as it is sent");
void copy(struct node *to, const struct node *from) { *to = *from; }
`;

test('what counts on the order of fields', async () => {
  const program = compiled({ 'node.h': HEADER, 'a.c': FIRST, 'b.c': SECOND, 'c.c': 'int other;\n' });
  const { texts, notes } = await patched(program, { reorder: ['struct node: next,*'] });
  expect(texts['node.h']).toContain('struct node *next;\n  char kind;');
  expect(notes).toEqual([
    'The compiler lays struct node out as predicted, 16 bytes: next 0, kind 8.',
    'Looked for in a.c, b.c: initialisers by position, offsetof, its bytes compared, copied, read or written, casts ' +
      'from or to another type, errors. Look out for:',
    '- node is defined in a header: compile all that includes it anew, other programs too',
    '- copied as a whole in the run: b.c:3',
    '- initialisers by position: a.c:6, a.c:7',
    '- offsetof: a.c:8',
    '- its bytes compared, copied, read or written: a.c:9, a.c:10',
    '- casts from or to another type: a.c:11',
    expect.stringMatching(/^- a\.c does not compile any more: .*a\.c:6:66: error: incompatible integer to pointer/),
  ]);
});

test('what does not compile any more', async () => {
  const program = compiled({ 'node.h': HEADER, 'a.c': FIRST, 'b.c': SECOND });
  const { notes } = await patched(program, { align: ['struct node=64'] });
  expect(notes.at(-1)).toMatch(/^- b\.c does not compile any more: .*error: static assertion failed/);
});

test('how sources are compiled', async () => {
  const program = compiled({ 'a.c': FIRST, 'node.h': HEADER });
  const source = join(program.folder, 'a.c');
  writeFileSync(source, FIRST.replace('"node.h"', 'NODES'));
  await expect(patched(program, { reorder: ['struct node: next,*'] })).rejects.toThrow('--compile-commands FILE');
  const commands = join(program.folder, 'compile_commands.json');
  const command = `ccache clang -DNODES='"node.h"' -O2 -MD -MF a.d -c a.c -o a.o`;
  writeFileSync(commands, JSON.stringify([{ directory: program.folder, file: 'a.c', command }]));
  const { texts } = await patched(program, { reorder: ['struct node: next,*'] }, commands);
  expect(Object.keys(texts)).toEqual(['node.h']);
});

test('a source that was changed since, and one that is gone', async () => {
  const program = compiled({ 'node.h': HEADER, 'a.c': SECOND.replace('== 16', '<= 24') });
  const words = { reorder: ['struct node: next,*'] };
  const header = join(program.folder, 'node.h');
  writeFileSync(header, HEADER.replace('char kind;', 'char kind;\n  long flag;'));
  await expect(patched(program, words)).rejects.toThrow('it was changed since');
  writeFileSync(header, `\n\n${HEADER}`);
  await expect(patched(program, words)).rejects.toThrow('it was changed since');
  rmSync(header);
  await expect(patched(program, words)).rejects.toThrow('its source is not there');
});

test('a variable of a line of its own', async () => {
  const program = compiled({ 'a.c': 'long hits = 1;\nvoid hit(void) { hits++; }\n' });
  const { texts, notes } = await patched(program, { align: ['hits=64'] });
  expect(texts).toEqual({ 'a.c': '_Alignas(64) long hits = 1;\nvoid hit(void) { hits++; }\n' });
  expect(notes[0]).toBe('The compiler aligns hits to 64 bytes.');
});
