// Changes of structs as patches: the text before and after, and what is refused. Each patch that is written was
// compiled and gave the layout that was predicted.

import { describe, expect, test } from 'vitest';
import type { StructWords } from '../../src/what-if/parse-changes.js';
import { compiled, patched } from './patched-source.js';

const USE = (type: string): string => `\nvoid use(${type} *p) { __builtin_memset((void *)p, 0, sizeof *p); }\n`;

const HEAD = 'void before(void) {}\n\n';
const cases: readonly [string, string, StructWords, string, string][] = [
  [
    'comments move with their fields, and empty lines stay',
    'struct node',
    { reorder: ['struct node: next,weight,*'] },
    `struct node {
  /* who it is */
  char kind;
  struct node *next; // the one behind
  char flag;         /* set once,
                        read often */

  // what it weighs
  // in grams
  double weight;
};`,
    `struct node {
  struct node *next; // the one behind
  // what it weighs
  // in grams
  double weight;
  /* who it is */
  char kind;

  char flag;         /* set once,
                        read often */
};`,
  ],
  [
    'a comment that goes on below, and one that stands alone',
    'struct part',
    { reorder: ['struct part: count,*'] },
    `struct part {
  // all of it

  char name[10]; // as it is
                 // written
  long count;
};`,
    `struct part {
  // all of it

  long count;
  char name[10]; // as it is
                 // written
};`,
  ],
  [
    'one line, and a semicolon in a comment',
    'struct pair',
    { reorder: ['struct pair: b,*'] },
    'struct pair { char a; /* not b; */ long b; };',
    'struct pair { long b; char a; /* not b; */ };',
  ],
  [
    'a union without a name moves as one, and so do fields of one declaration',
    'struct value',
    { reorder: ['struct value: size,*'] },
    `struct value {
  char kind, flag;
  union {
    long number; // of kind 0
    double real;
  };
  struct { int x, y; } at[2];
  long size;
};`,
    `struct value {
  long size;
  char kind, flag;
  union {
    long number; // of kind 0
    double real;
  };
  struct { int x, y; } at[2];
};`,
  ],
  [
    'bit-fields stay together',
    'struct bits',
    { reorder: ['struct bits: length,*'] },
    `struct bits {
  unsigned low : 3;
  unsigned high : 7; // of ten
  void (*call)(int, char);
  long length;
};`,
    `struct bits {
  long length;
  unsigned low : 3;
  unsigned high : 7; // of ten
  void (*call)(int, char);
};`,
  ],
  [
    'attributes',
    'struct __attribute__((packed)) tight',
    { reorder: ['struct tight: b,a'] },
    `struct __attribute__((packed)) tight {
  char a __attribute__((unused));
  __attribute__((unused)) int b; // aligned to nothing
};`,
    `struct __attribute__((packed)) tight {
  __attribute__((unused)) int b; // aligned to nothing
  char a __attribute__((unused));
};`,
  ],
  [
    'a field of a line of its own',
    'struct counters',
    { align: ['struct counters.right=64'] },
    'struct counters {\n  long left;\n  long right;\n};',
    'struct counters {\n  long left;\n  _Alignas(64) long right;\n};',
  ],
  [
    'a struct of lines of its own',
    'counter',
    { align: ['counter=64'] },
    'typedef struct {\n  long count;\n} counter;',
    'typedef struct __attribute__((aligned(64))) {\n  long count;\n} counter;',
  ],
  [
    'padding',
    'struct row',
    { pad: ['struct row=+64'] },
    'struct row {\n    long pad;\n    char name[8]; // last\n};',
    'struct row {\n    long pad;\n    char name[8]; // last\n    unsigned char padding[64];\n};',
  ],
  [
    'a flexible array stays last',
    'struct text',
    { reorder: ['struct text: length,kind,bytes'] },
    'struct text {\n  char kind;\n  int length;\n  char bytes[];\n};',
    'struct text {\n  int length;\n  char kind;\n  char bytes[];\n};',
  ],
];

test.each(cases)('%s', async (_, head, words, before, after) => {
  const [type] = /^(?:struct )?[\w]+$/.exec(head.replace(/__attribute__\(\(packed\)\) /, ''))!;
  const program = compiled({ 'a.c': `${HEAD}${before}\n${USE(type)}` });
  const { texts } = await patched(program, words);
  expect(texts).toEqual({ 'a.c': `${HEAD}${after}\n${USE(type)}` });
});

describe('C++', () => {
  test('methods and access stay where they are', async () => {
    const source = (first: string, second: string, align: string): string => `namespace plane {
class ${align}Shape {
public:
  Shape() : scale(1) {}
  ${first}
  double area() const { return scale * scale; }
  ${second}
  char name[5]; // short

private:
  long hidden = 0;
};
} // namespace plane
${USE('plane::Shape')}`;
    const program = compiled({ 'a.cc': source('char kind;', 'double scale;', '') });
    const words = { reorder: ['plane::Shape: scale,kind,*'], align: ['plane::Shape=64'] };
    const { texts } = await patched(program, words);
    expect(texts).toEqual({ 'a.cc': source('double scale;', 'char kind;', 'alignas(64) ') });
    await expect(patched(program, { reorder: ['plane::Shape: hidden,*'] })).rejects.toThrow(
      "'hidden' is private, and would come among those that are public",
    );
  });

  test('structs with a base, and of templates', async () => {
    const program = compiled({
      'a.cc': `struct Base { long a; };
struct Derived : Base { char b; long c; };
template <typename T> struct Box { char b; T c; };
${USE('Derived')}
void use(Box<long> *p) { p->b = 1; }
`,
    });
    await expect(patched(program, { align: ['Derived=64'] })).rejects.toThrow('it has a base class');
    await expect(patched(program, { align: ['Box<long>=64'] })).rejects.toThrow('it is made by a template');
  });
});

test.each<[string, string, StructWords, string]>([
  [
    'a declaration that would be taken apart',
    'struct node {\n  char a, b;\n  long c;\n};',
    { reorder: ['struct node: a,c,b'] },
    'a, b are one declaration, and the new order takes them apart',
  ],
  [
    'bit-fields that would be taken apart',
    'struct node {\n  unsigned a : 3;\n  unsigned b : 3;\n  long c;\n};',
    { reorder: ['struct node: b,c,a'] },
    'the bit-fields a, b share their bytes, and the new order takes them apart',
  ],
  [
    'the alignment of one of several',
    'struct node {\n  long a, b;\n};',
    { align: ['struct node.b=64'] },
    "'b' is declared together with others: a, b",
  ],
  [
    'a preprocessor directive',
    'struct node {\n  char a;\n#ifndef SMALL\n  long b;\n#endif\n};',
    { reorder: ['struct node: b,a'] },
    'there is a preprocessor directive in its definition',
  ],
  [
    'a field of a macro',
    '#define LINK struct node *next\nstruct node {\n  char a;\n  LINK;\n};',
    { reorder: ['struct node: next,a'] },
    "'next' comes from a macro",
  ],
  [
    'fields of a macro that are of no file',
    '#define DEFINE(name) struct name { char a; long b; }\nDEFINE(node);',
    { reorder: ['struct node: b,a'] },
    'comes from a macro',
  ],
  ['copies for threads', 'struct node {\n  char a;\n  long b;\n};', { perThread: ['struct node: b'] }, '--per-thread'],
  ['a part of its own', 'struct node {\n  char a;\n  long b;\n};', { split: ['struct node: b | a'] }, '--split'],
])('%s is refused', async (_, source, words, reason) => {
  await expect(patched(compiled({ 'a.c': `${source}\n${USE('struct node')}` }), words)).rejects.toThrow(reason);
});
