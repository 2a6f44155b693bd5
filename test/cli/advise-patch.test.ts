// `dprof advise --patch`: a program is recorded, its patch applied, and what is compiled then has the layout that was
// predicted; and what is refused.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { DPROF, outputOf, runDprof, type Outcome } from './command-client.js';

const COMPILER = resolve(DPROF, '../dprof-cc');
const FOLDER = makeTemporaryFolder('advise-patch');

const NODE = `struct node {
  struct node *next; // in the order of the walk
  long keys[3];
  /* of people */
  char name[32];
  long counts[3];
  char notes[40];
};
`;

/** Two lines of each node are used, of which one has room for all that is. */
const LIST = `#include <stdio.h>
#include <stdlib.h>

${NODE}
static const struct node none = {NULL, {1, 2, 3}, "none"};

int main(void) {
  struct node **nodes = calloc(1024, sizeof *nodes), *first = NULL;
  for (int i = 0; i < 1024; i++) {
    nodes[i] = aligned_alloc(64, sizeof(struct node));
    *nodes[i] = none;
  }
  for (int i = 0, at = 0; i < 1024; i++, at = (at + 611) % 1024) {
    nodes[at]->next = first;
    first = nodes[at];
  }
  long sum = 0;
  for (int round = 0; round < 20; round++)
    for (struct node *node = first; node; node = node->next)
      for (int i = 0; i < 3; i++) sum += node->keys[i] + node->counts[i];
  printf("%ld\\n", sum);
  return 0;
}
`;

/** The same list, and what two threads count side by side. */
const COUNTERS = `#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

${NODE}
struct counters { long left; long right; } counters;

static void *count(void *of) {
  volatile long *own = of;
  for (int i = 0; i < 4000; i++) ++*own;
  return NULL;
}

int main(void) {
  struct node **nodes = calloc(1024, sizeof *nodes), *first = NULL;
  for (int i = 0; i < 1024; i++) nodes[i] = aligned_alloc(64, sizeof(struct node));
  for (int i = 0, at = 0; i < 1024; i++, at = (at + 611) % 1024) {
    nodes[at]->next = first;
    for (int j = 0; j < 3; j++) nodes[at]->keys[j] = nodes[at]->counts[j] = i;
    first = nodes[at];
  }
  pthread_t one, two;
  pthread_create(&one, NULL, count, &counters.left);
  pthread_create(&two, NULL, count, &counters.right);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  long sum = 0;
  for (int round = 0; round < 40; round++)
    for (struct node *node = first; node; node = node->next)
      for (int i = 0; i < 3; i++) sum += node->keys[i] + node->counts[i];
  printf("%ld\\n", sum + counters.left + counters.right);
  return 0;
}
`;

function dprof(words: readonly string[], folder: string): Outcome {
  return runDprof(words, { COLUMNS: '80' }, folder);
}

function record(folder: string, source: string): void {
  execFileSync(COMPILER, ['-O1', '-g', join(folder, source), '-o', join(folder, 'program'), '-pthread']);
  outputOf(['record', '-o', join(folder, 'run.dptrace'), '--', join(folder, 'program')]);
}

interface Member {
  readonly row: string;
  readonly depth: number;
  readonly name: string;
  readonly offsetBytes: number;
  readonly references: { readonly loads: number; readonly stores: number };
}

/** By offset. */
function membersOf(folder: string, type: string): Member[] {
  const { stdout } = dprof(['annotate', 'run.dptrace', '--type', type, '--format', 'json'], folder);
  const { rows } = JSON.parse(stdout) as { rows: Member[] };
  return rows.filter(({ row, depth }) => row === 'member' && depth === 1);
}

function layoutOf(folder: string, type: string): string[] {
  return membersOf(folder, type).map(({ name, offsetBytes }) => `${name} ${offsetBytes}`);
}

interface Field {
  readonly name: string;
  readonly offsetBytes: number;
  readonly references: number;
}

interface Advised {
  readonly findings: readonly {
    readonly change: {
      readonly options: readonly string[];
      readonly structs: readonly {
        readonly type: string;
        readonly before: { readonly fields: readonly Field[] };
        readonly after: { readonly fields: readonly Field[] };
      }[];
    };
  }[];
  readonly patches: {
    readonly folder: string | null;
    readonly files: readonly { readonly finding: number | 'all'; readonly path: string; readonly reason: string }[];
  };
}

describe.each([
  { source: 'list.c', text: LIST, type: 'struct node', option: '--reorder' },
  { source: 'counters.c', text: COUNTERS, type: 'struct counters', option: '--align' },
])('$source', ({ source, text, type, option }) => {
  const folder = join(FOLDER, source);
  let advised: Advised;
  beforeAll(() => {
    mkdirSync(folder);
    writeFileSync(join(folder, source), text);
    record(folder, source);
    const { stdout, stderr } = dprof(['advise', 'run.dptrace', '--patch', 'patches', '--format', 'json'], folder);
    expect(stderr).toBe('');
    advised = JSON.parse(stdout) as Advised;
  });

  test('accesses to fields are those of dprof annotate', () => {
    const { fields } = advised.findings[0].change.structs.find((one) => one.type === type)!.before;
    expect(fields.map(({ name, references }) => [name, references])).toEqual(
      membersOf(folder, type).map(({ name, references: { loads, stores } }) => [name, loads + stores]),
    );
  });

  test('the first finding has a patch, and what is compiled with it the layout that was predicted', () => {
    const [{ change }] = advised.findings;
    expect(change.options[0]).toBe(option);
    const [{ finding, path, reason }] = advised.patches.files;
    expect([finding, path, reason]).toEqual([1, `patches/1-${type.slice('struct '.length)}.patch`, null]);
    const before = layoutOf(folder, type);
    const foretold = change.structs.find((one) => one.type === type)!.after.fields;
    const copy = join(folder, 'patched');
    mkdirSync(copy);
    writeFileSync(join(copy, source), text);
    execFileSync('git', ['apply', '-p0', join(folder, path)], { cwd: copy });
    // The patch says to look out for initialisers by position.
    const made = readFileSync(join(copy, source), 'utf8');
    writeFileSync(join(copy, source), made.replace('{NULL, {1, 2, 3}, "none"}', '{.keys = {1, 2, 3}, .name = "none"}'));
    record(copy, source);
    expect(layoutOf(copy, type)).toEqual(foretold.map(({ name, offsetBytes }) => `${name} ${offsetBytes}`));
    expect(layoutOf(copy, type)).not.toEqual(before);
  });
});

test('all patches together', () => {
  const folder = join(FOLDER, 'counters.c');
  const copy = join(folder, 'all');
  mkdirSync(copy);
  writeFileSync(join(copy, 'counters.c'), COUNTERS);
  expect(readdirSync(join(folder, 'patches')).sort()).toEqual(['1-counters.patch', '2-node.patch', 'all.patch']);
  execFileSync('git', ['apply', '-p0', join(folder, 'patches/all.patch')], { cwd: copy });
  record(copy, 'counters.c');
  expect(layoutOf(copy, 'struct counters')).toEqual(['left 0', 'right 64']);
  expect(layoutOf(copy, 'struct node')).toEqual(['counts 0', 'keys 24', 'next 48', 'name 56', 'notes 88']);
});

describe('the text', () => {
  const folder = join(FOLDER, 'list.c');

  test('has the struct before and after, within 80 columns, and says where the patch is', () => {
    const { stdout, stderr } = dprof(['advise', 'run.dptrace', '--patch', 'text'], folder);
    expect(stderr).toBe('');
    expect(stdout).toContain(`
   Before:
   struct node {          /* offset  size */  accesses
       struct node *next; /*      0     8 */     15.5%  hot
       long keys[3];      /*      8    24 */     40.5%  hot
       char name[32];     /*     32    32 */      1.4%  cold
       /* --- cacheline 1 boundary (64 bytes) --- */
       long counts[3];    /*     64    24 */     41.2%  hot
       char notes[40];    /*     88    40 */      1.4%  cold
       /* size: 128, cachelines: 2, members: 5 */
   };
   After:
   struct node {          /* offset  size */  accesses
       long counts[3];    /*      0    24 */     41.2%  hot
`);
    expect(stdout).toMatch(/\nPatches, for patch -p0 < FILE; [^:]*:\n {3}1\. text\/1-node\.patch\n/);
    const long = stdout.split('\n').filter((line) => line.length > 80 && !line.includes('dprof what-if'));
    expect(long).toEqual([]);
  });

  test('of a patch says what to look out for', () => {
    const lines = readFileSync(join(folder, 'text/1-node.patch'), 'utf8').split('\n');
    const head = lines.filter((line) => line.startsWith('# '));
    expect(head[0]).toMatch(/^# struct node: order the fields of struct node by their use: /);
    expect(head).toContain('# - initialisers by position: list.c:13');
    expect(head).toContain('# - copied as a whole in the run: list.c:19');
    expect(lines.slice(head.length, head.length + 2)).toEqual(['--- list.c', '+++ list.c']);
    expect(readdirSync(join(folder, 'text'))).toEqual(['1-node.patch']);
  });
});

test('copies for each thread leave the struct as it is, and are no patch', () => {
  const folder = join(FOLDER, 'shared');
  mkdirSync(folder);
  const example = resolve(import.meta.dirname, '../../examples/true-sharing/true-sharing.c');
  writeFileSync(join(folder, 'shared.c'), readFileSync(example, 'utf8'));
  record(folder, 'shared.c');
  const { stdout } = dprof(['advise', 'run.dptrace', '--patch', 'patches', '--format', 'json'], folder);
  const { findings, patches } = JSON.parse(stdout) as Advised;
  expect(findings[0].change.options).toEqual(['--per-thread', 'struct statistics: requests']);
  expect(findings[0].change.structs).toEqual([]);
  expect(patches.files).toEqual([{ finding: 1, path: null, reason: expect.stringContaining('for each thread') }]);
  expect(readdirSync(join(folder, 'patches'))).toEqual([]);
});

test.each([
  [['--patch', 'list.c'], 'list.c', 'name a folder'],
  [['--patch', '/proc/none/patches'], '/proc/none/patches', 'name a folder'],
  [['--compile-commands', 'list.c'], '--compile-commands is for patches', '--patch'],
  [['--patch', 'new', '--compile-commands', 'list.c'], 'list.c is no JSON', 'compile_commands.json'],
  [['--patch', 'new', '--compile-commands', 'none.json'], 'none.json cannot be read', 'compile_commands.json'],
])('%j is refused', (words, said, hint) => {
  const { status, stderr, stdout } = dprof(['advise', 'run.dptrace', ...words], join(FOLDER, 'list.c'));
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(said);
  expect(stderr).toContain(hint);
  expect(stderr.split('\n').filter(Boolean)).toHaveLength(2);
  expect(existsSync(join(FOLDER, 'list.c/none'))).toBe(false);
});
