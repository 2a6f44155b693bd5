// `dprof what-if` as a user types it: what is refused, with which hint.

import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { outputOf, runDprof, startDprof } from './command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const TCMALLOC = '/usr/lib/x86_64-linux-gnu/libtcmalloc.so.4';
const folder = mkdtempSync(join(tmpdir(), 'dprof-what-if-'));
const trace = join(folder, 'program.dptrace');

beforeAll(() => {
  const source = join(folder, 'program.c');
  writeFileSync(
    source,
    `#include <stdatomic.h>
     #include <stdlib.h>
     struct pair { int a, b; _Atomic long both; };
     struct text { int length; char bytes[]; }; struct tall { int height; struct tall *next[1]; };
     static int total; struct lone { long first, second; } lone; struct twin { long first, second; } one, twins[2];
     static long skewed[8][9], corner[8][8]; struct outer { struct inner { long first, second; } in; } outer;
     static void loops(void) {
       for (int i = 0; i < 7; i++) for (int j = 0; j < 8; j++)
         skewed[i + 1][j] = skewed[i][j + 1] + 1;
       for (int i = 0; i < 8; i++) for (int j = 0; j <= i; j++)
         corner[j][i]++;
     }
     int main(void) {
       loops();
       total++;
       struct inner *inner = &outer.in;
       lone.first++; one.first++; twins[1].first++; inner->first++; inner->second++;
       struct pair *pairs = calloc(10, sizeof *pairs);
       struct text *text = malloc(sizeof *text + 10);
       text->length = 10;
       text->bytes[3] = 'x'; struct tall *tall = &(struct tall){2, {0}}; tall->next[0] = tall;
       for (int i = 0; i < 10; i++) { pairs[i].a = i; pairs[i].b = text->bytes[3]; atomic_fetch_add(&pairs[i].both, 1); }
       return pairs[3].a + pairs[4].b - 3 - 'x';
     }
`,
  );
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', join(folder, 'program')]);
  outputOf(['record', '-o', trace, '--', join(folder, 'program')]);
});

function header(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test.each([
  [[], 'nothing is to be changed', 'for example --reorder'],
  [['--reorder', 'struct pear: a'], "the trace has no struct or class 'struct pear'", 'nearest: struct pair'],
  [['--reorder', 'struct pair: a,c'], "struct pair has no field 'c'", 'nearest: '],
  [['--reorder', 'struct pair: b,b'], "'b' stands twice", 'each field once'],
  [['--reorder', 'struct pair'], 'names no fields', 'for example'],
  [['--reorder', 'struct text: bytes,length'], 'is a flexible array: it stays last', 'put it behind the others'],
  [['--pad', 'struct pair=+64', '--pad', 'struct pair=+8'], 'struct pair has this change already', 'each type once'],
  [['--reorder', 'struct pair: b,*', '--split', 'struct pair: a | *'], 'struct pair has this change already', 'once'],
  [['--pad-rows', 'pairs/16=+64', '--pad-rows', 'pairs/16=+8'], "'pairs' stands twice", 'each array once'],
  [['--pad', 'struct pair=64'], 'does not end in =+ and bytes', "for example --pad 'struct grid=+64'"],
  [['--pad-rows', 'pairs'], 'does not end in =+ and bytes', 'for example --pad-rows'],
  [['--pad-rows', 'pears/16=+64'], "no variable or allocation is called 'pears'", 'nearest: pairs'],
  [['--pad-rows', 'text=+64'], "no distance between accesses to 'text'", "--pad-rows 'text/4096=+64'"],
  [['--split', 'struct pair: a,b'], 'names no fields on both sides of |', 'for example --split'],
  [['--split', 'struct pair: a,* | b,c'], "struct pair has no field 'c'", 'nearest: '],
  [['--split', 'struct text: length | bytes'], 'ends in a flexible array', '--reorder'],
  [['--reorder', 'struct tall: next,height'], 'is an array of one element at the end, which may go', 'put it behind'],
  [['--split', 'struct tall: height | next'], 'ends in an array of one element at the end, which may', '--reorder'],
  [['--narrow', 'struct pair=1'], 'names no field', 'for example --narrow'],
  [['--narrow', 'struct pair.a=4'], "'a' of struct pair has 4 bytes", 'give fewer bytes'],
  [['--narrow', 'struct text.bytes=1'], "'bytes' of struct text is no scalar", 'give fewer bytes'],
  [['--pool', 'struct pear'], "the trace has no struct or class 'struct pear'", 'nearest: struct pair'],
  [['--align', 'struct pair=48'], 'does not end in = and a power of two', 'for example'],
  [['--align', 'struct pair (a.c:3)=64'], "the trace has no struct or class 'struct pair (a.c:3)'", 'nearest: '],
  [['--reorder', 'struct pair: ns::base,a'], "struct pair has no field 'ns::base'", 'nearest: '],
  [['--align', 'struct pair.x=64'], "struct pair has no field 'x'", 'nearest: '],
  [['--header', join(folder, 'none.h')], 'no file', 'name a file'],
  [
    ['--header', header('bad.h', 'struct pair { int a, b; long both')],
    'bad.h does not compile',
    'include what it needs',
  ],
  [['--header', header('other.h', 'struct quince { int a; };')], 'defines no type that the trace has', 'nearest: '],
  [['--header', header('less.h', 'struct pair { int a; long both; };')], "has no field 'b'", 'nearest: '],
  [
    ['--header', header('small.h', 'struct pair { int a, b; short both; };')],
    "field 'both' of struct pair has 2 bytes, but the run accesses 8",
    'cannot be made smaller',
  ],
  [['--group', 'totals,total'], "the trace has no global variable 'totals'", 'nearest: total'],
  [['--group', 'total,total'], "'total' stands twice", 'each variable or field once'],
  [['--group', 'total.a,total'], "'total' is no struct that has fields", 'name all of it'],
  [['--group', 'lone.first,lone'], "'lone' stands twice", 'each variable or field once'],
  [['--group', 'lone.third,total'], "struct lone has no field 'third'", 'nearest: '],
  [['--group', 'lone.first,lone.second'], "all fields of 'lone' are named", 'name all of it: lone'],
  [['--group', 'twins.first,total'], "'twins' is no struct that has fields", 'name all of it'],
  [['--group', 'one.first,total'], "'one' is not the only struct twin", "--reorder 'struct twin: ...'"],
  [['--group', 'outer.in.first,total'], "no global variable 'outer.in'", 'nearest: outer'],
  [
    ['--group', 'lone.first,total', '--split', 'struct lone: second | *'],
    'struct lone is split, too',
    'leave out one of the two',
  ],
  [['--pool', 'program.c:2'], "nothing is allocated at 'program.c:2'", 'nearest: program.c:'],
  [['--per-thread', 'struct pair'], 'names no fields', 'for example --per-thread'],
  [['--per-thread', 'struct pair: c'], "struct pair has no field 'c'", 'nearest: '],
  [['--split', 'struct pair: a | *', '--per-thread', 'struct pair: a'], 'struct pair is split, too', 'leave out one'],
  [['--pad', 'struct pair=+64', '--schedules', '2', '--to', '10'], 'ranges are of the whole run', 'leave out'],
  [['--interchange', 'program.c:9'], 'program.c:9 needs what is stored before it', 'another loop'],
  [
    ['--tile', 'program.c:11=4'],
    'program.c:11=4: no two loops of which the inner one',
    'name a line that loads or stores',
  ],
  [
    ['--interchange', 'program.c:1'],
    "no loop of loads and stores was recorded at 'program.c:1'",
    'nearest: program.c:9',
  ],
  [['--interchange', 'program.c:9', '--tile', 'program.c:9=4'], 'program.c:9 has another order already', 'once'],
  [['--tile', 'program.c:9'], 'does not end in = and 2 to 1048576 iterations', "--tile 'matrix.c:19=32'"],
  [['--tile', 'program.c:9=1'], 'does not end in = and 2 to 1048576 iterations', "--tile 'matrix.c:19=32'"],
  [['--allocator', 'malloc'], "'malloc' is not known", 'use glibc'],
])('%j is refused', (change, message, hint) => {
  const { status, stderr } = runDprof(['what-if', trace, ...change]);
  expect(stderr).toContain(message);
  expect(stderr).toContain(hint);
  expect(stderr.split('\n').filter(Boolean)).toHaveLength(2);
  expect(status).toBe(2);
});

test('a change of what nobody counts as an object is refused, not compared', () => {
  const source = join(folder, 'arena.c');
  writeFileSync(
    source,
    `#include <stdlib.h>
     struct node { long key; struct node *next; };
     struct edge { long weight; };
     static char *arena;
     static void *part(size_t bytes) { char *at = arena; arena += bytes; return at; }
     int main(void) {
       char *all = arena = malloc(4096);
       struct node *last = NULL;
       for (int i = 0; i < 50; i++) {
         struct node *node = part(sizeof *node);
         node->key = i;
         node->next = last;
         last = node;
         struct edge *edge = part(sizeof *edge);
         edge->weight = i;
       }
       free(all);
       return 0;
     }
`,
  );
  const program = join(folder, 'arena');
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', program]);
  const made = join(folder, 'arena.dptrace');
  outputOf(['record', '-o', made, '--', program]);
  for (const change of [
    ['--pool', 'struct node'],
    ['--align', 'struct node=64'],
  ]) {
    const { status, stderr } = runDprof(['what-if', made, ...change]);
    expect(stderr).toContain('struct node: no object of it could be laid out anew, so nothing would change');
    expect(stderr).toContain('memory that nobody counts as objects of it');
    expect(status).toBe(2);
  }
});

test('a tool that is not built is named at once', () => {
  const { status, stderr } = runDprof(['what-if', trace, '--pool', 'struct pair'], { DPROF_BUILD: brokenBuild() });
  expect(stderr).toContain('dprof-allocations is not built');
  expect(stderr).toContain("run 'npm run setup'");
  expect(status).toBe(1);
});

/** All of the build but one tool. */
function brokenBuild(): string {
  const build = join(folder, 'build');
  cpSync(join(ROOT, 'build/lib'), join(build, 'lib'), { recursive: true });
  mkdirSync(join(build, 'bin'));
  return build;
}

test('types in unions, in flexible arrays, and as bases of others', () => {
  const source = join(folder, 'held.cc');
  writeFileSync(
    source,
    `#include <cstdlib>
     struct inner { char first; long last; };
     union either { inner own; long words[2]; };
     struct item { char first; long last; };
     struct list { long count; item items[]; };
     struct base { char first; long last; base() {} };
     struct derived : base { char more; derived() {} };
     either *volatile eithers; list *volatile lists; derived *volatile deriveds;
     int main() {
       eithers = (either *)calloc(3, sizeof(either));
       eithers[1].own.first = 1; eithers[2].words[1] = 2;
       lists = (list *)calloc(1, sizeof(list) + 10 * sizeof(item));
       lists->count = 10; lists->items[3].last = 5; lists->items[4].first = 5;
       deriveds = new derived[3];
       deriveds[1].more = 1; deriveds[1].first = 2; deriveds[2].last = 7;
       return eithers[1].own.last;
     }
`,
  );
  const [program, made] = [join(folder, 'held'), join(folder, 'held.dptrace')];
  execFileSync(join(ROOT, 'bin/dprof-c++'), ['-O1', '-g', source, '-o', program]);
  outputOf(['record', '-o', made, '--', program]);
  const refusal = (type: string): string => {
    const { status, stderr } = runDprof(['what-if', made, '--reorder', `${type}: last,first`]);
    return `${status} ${stderr.split('\n', 1)[0]}`;
  };
  expect(['inner', 'item', 'base'].map(refusal)).toEqual([
    '2 dprof: inner lies in either beside other members: which one an access means is not known',
    '2 dprof: item is the flexible array of list: dprof does not lay it out',
    '2 dprof: derived derives from base, behind whose last field its own may begin',
  ]);
});

/** A block of so many items is filled, copied and gone through. */
function filled(count: number): string {
  const source = join(folder, `filled${count}.c`);
  writeFileSync(
    source,
    `#include <stdlib.h>
     #include <string.h>
     struct item { short key, rest[15]; };
     static struct item *volatile items, *volatile others;
     static void fill(void) {
       memset(items, 1, ${count} * sizeof *items); memcpy(others, items, ${count} * sizeof *items);
     }
     int main(void) {
       items = malloc(${count} * sizeof *items);
       others = malloc(${count} * sizeof *items);
       fill();
       int sum = 0;
       for (int i = 0; i < ${count}; i++) sum += others[i].key;
       return sum == 0;
     }
`,
  );
  const [program, made] = [source.replace(/c$/, 'program'), source.replace(/c$/, 'dptrace')];
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', program]);
  outputOf(['record', '-o', made, '--', program]);
  return made;
}

test.each([
  [40_000, ['native']],
  [4384, atLength(['native'], ['native', 'ts'])], // as large that pieces still lie in pages of their own
])('a copy of %i elements is taken apart, one by one', (count, engines) => {
  const words = ['what-if', filled(count), '--split', 'struct item: key | *', '--no-cache', '--format', 'json'];
  const [first, ...others] = engines.map((engine) => JSON.parse(outputOf([...words, '--engine', engine])));
  expect(first.whatIf).toMatchObject({ split: 2, laidOut: 2 });
  const { before, after } = first.totals.references;
  // Filled, loaded and stored: 32 bytes an element from the 16th byte of a line on; then a key of each, and as many
  // pieces of 30 bytes one behind the other, of which 14 of 32 go over the end of a line.
  expect(after - before).toBe(3 * (count + count + (count * 14) / 32 - (count / 2 + 1)));
  for (const { totals } of others) expect(totals).toEqual(first.totals);
});

test('one of very many is not; advice tries what else there is', () => {
  const made = filled(530_000); // more than a million pieces
  expect(runDprof(['what-if', made, '--split', 'struct item: key | *'])).toEqual({
    status: 2,
    stdout: '',
    stderr:
      `dprof: ${join(folder, 'filled530000.c')}:6 copies or fills so many elements at once that dprof cannot take ` +
      'them apart one by one\nhint: try a change that keeps the bytes of an element together\n',
  });
  expect(outputOf(['advise', made])).toMatch(/^tried +[1-9]/m);
});

test('a pool in text and JSON', () => {
  const words = ['what-if', trace, '--pool', 'struct pair', '--no-cache'];
  expect(outputOf(words)).toMatch(/^what if +struct pair side by side in the order of allocation\n/);
  expect(JSON.parse(outputOf([...words, '--format', 'json'])).whatIf.pools).toEqual(['struct pair']);
});

test('a pool of what one line allocates', () => {
  const whatIf = (pool: string): Record<string, unknown> =>
    JSON.parse(outputOf(['what-if', trace, '--pool', pool, '--format', 'json'])) as Record<string, unknown>;
  const ofLine = whatIf('program.c:18');
  expect(ofLine.rows).toEqual(whatIf('struct pair').rows);
  expect(ofLine.whatIf).toMatchObject({ pools: ['program.c:18'] });
});

test('a change in text: what it is, what it moved, and the comparison', () => {
  const text = outputOf(['what-if', trace, '--align', 'struct pair=64', '--no-cache']);
  expect(text).toMatch(/^what if +struct pair, 16 -> 64 bytes\n/);
  expect(text).toMatch(/laid out +1 object anew\n/);
  expect(text).toMatch(/heap +2 blocks by glibc; if nothing changes, glibc puts all/);
  expect(text).toMatch(/struct pair \(was 16 B\)/);
});

test('text begins with the verdict, and ends with it in one line', () => {
  const words = ['what-if', trace, '--align', 'struct pair=64', '--no-cache'];
  const { totals } = JSON.parse(outputOf([...words, '--format', 'json']));
  const { before, after } = totals.missLatencyCycles;
  const text = outputOf(words, { COLUMNS: '80' });
  expect(text).toMatch(/\nchanged +estimated cycles from /);
  const last = text.split('\n').at(-2)!;
  expect(last.length).toBeLessThanOrEqual(80);
  const share = (100 * Math.abs(after - before)) / (before + totals.instructions.before);
  expect(last).toBe(
    `estimated cycles ${before.toLocaleString('en')} -> ${after.toLocaleString('en')}, ` +
      `${(after / before).toFixed(2)} x: ${share.toFixed(1)}% of the run ${after > before ? 'more' : 'less'}`,
  );
});

test('on two machines the estimated cycles of each are told, before and after', () => {
  const words = [
    'what-if',
    trace,
    '--align',
    'struct pair=64',
    '--no-cache',
    '--machine',
    'default',
    '--machine',
    'zen3',
  ];
  expect(outputOf(words)).toMatch(/range +default, 1 schedule: estimated cycles [\d,]+ -> [\d,]+, \d+\.\d\d x\n/);
  const { whatIf, totals } = JSON.parse(outputOf([...words, '--format', 'json']));
  expect(whatIf.ranges.map(({ machine }: { machine: string }) => machine)).toEqual(['default', 'zen3']);
  const { before, after } = totals.missLatencyCycles;
  expect(whatIf.ranges[0].cycles).toEqual({
    before: { low: before, high: before },
    after: { low: after, high: after },
  });
});

// Where Debian's package is not installed there is nothing to test.
test.runIf(existsSync(TCMALLOC))('a program with another allocator is held against that one', () => {
  const program = join(folder, 'blocks');
  const source = join(folder, 'blocks.c');
  writeFileSync(
    source,
    `#include <stdlib.h>
     struct item { long key; struct item *next; char rest[24]; };
     int main(void) {
       struct item *first = NULL; long sum = 0;
       for (int i = 0; i < 2000; i++) {
         struct item *item = malloc(sizeof *item);
         item->key = i; item->next = first; first = item;
         if (i % 3 == 0) { first = item->next; free(item); }
       }
       for (struct item *item = first; item; item = item->next) sum += item->key;
       return sum & 1;
     }`,
  );
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', source, '-o', program]);
  const other = join(folder, 'blocks.dptrace');
  startDprof(['record', '-o', other, '--', program], { ...process.env, LD_PRELOAD: TCMALLOC });
  const asItWas = outputOf(['what-if', other, '--allocator', TCMALLOC, '--no-cache']);
  expect(asItWas).toMatch(/heap +2,000 blocks by \S+; if nothing changes, tcmalloc puts all\s+where the run had/);
  expect(asItWas).toMatch(/changed +estimated cycles from ([\d,]+) to \1 \(0, 1\.00 x\)/);
  const json = outputOf(['what-if', other, '--pad', 'struct item=+24', '--no-cache', '--format', 'json']);
  expect(JSON.parse(json).whatIf).toMatchObject({
    allocator: 'tcmalloc',
    allocatorOfRun: 'tcmalloc',
    blocks: 2000,
    alike: 2000,
  });
});
