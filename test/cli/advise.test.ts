// `dprof advise` as a user types it: what is refused, with which hint; a run in which nothing is serious; and the text.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AdviceJson } from '../../src/advise/advice-schema.js';
import { outputOf, runDprof } from './command-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-advise-'));

/** The trace of a program with this source. */
function recorded(name: string, source: string): string {
  const program = join(folder, name);
  writeFileSync(`${program}.c`, source);
  execFileSync(join(ROOT, 'bin/dprof-cc'), ['-O1', '-g', `${program}.c`, '-o', program]);
  outputOf(['record', '-o', `${program}.dptrace`, '--', program]);
  return `${program}.dptrace`;
}

let calm = '';
let columns = '';

beforeAll(() => {
  calm = recorded(
    'calm',
    'int main(void) { int sum = 0, own[8] = {0}; for (int i = 0; i < 9999; i++) sum += own[i % 8]++; return sum < 0; }',
  );
  columns = recorded(
    'columns',
    `static double grid[64][512] __attribute__((aligned(4096)));
     int main(void) {
       for (int round = 0; round < 5; round++)
         for (int j = 0; j < 512; j++) for (int i = 0; i < 64; i++) grid[i][j] += i;
       return 0;
     }`,
  );
});

test.each([
  [['--min-cycles', 'much'], "--min-cycles: 'much' is no percentage below 100", 'for example --min-cycles 3'],
  [['--min-gain', '100'], "--min-gain: '100' is no percentage below 100", 'for example --min-gain 3'],
  [['--cpi', '0'], "--cpi: '0' is no number of cycles up to 100", 'for example --cpi 0.3, or --cpi measured'],
  [['--top', '0'], '--top', ''],
  [['--format', 'csv'], '--format', ''],
])('%j is refused', (words, said, hint) => {
  const { status, stderr } = runDprof(['advise', calm, ...words]);
  expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(stderr).toContain(hint);
});

test('a profile is refused', () => {
  const profile = join(folder, 'calm.dprofile');
  outputOf(['replay', calm, '-o', profile]);
  const { status, stderr } = runDprof(['advise', profile]);
  expect([status, stderr]).toEqual([2, expect.stringContaining('is a profile')]);
});

test('loops in the wrong order, where the array is too large for the cache', () => {
  const trace = recorded(
    'transposed',
    `double from[800][104], to[104][800];
     int main(void) {
       for (int round = 0; round < 10; round++)
         for (int i = 0; i < 104; i++) for (int j = 0; j < 800; j++)
           to[i][j] += from[j][i];
       return 0;
     }`,
  );
  const { findings } = JSON.parse(outputOf(['advise', trace, '--format', 'json']));
  expect(findings[0]).toMatchObject({ kind: 'capacity', type: 'double[]', name: 'from' });
  expect(findings[0].change.options).toEqual(['--interchange', 'transposed.c:5']);
});

test('an allocator that puts more blocks on a line, where no layout helps', () => {
  const trace = recorded(
    'strings',
    `#include <string.h>
     static char *words[40000];
     int main(void) {
       for (int i = 0; i < 40000; i++) words[i] = strdup("as short");
       long sum = 0;
       for (int round = 0; round < 3; round++)
         for (int i = 0; i < 40000; i++) sum += words[i * 7919L % 40000][round % 8];
       return sum == 0;
     }`,
  );
  const { findings } = JSON.parse(outputOf(['advise', trace, '--format', 'json']));
  expect(findings[0]).toMatchObject({ kind: 'capacity', origin: 'allocator' });
  expect(findings[0].change.options[0]).toBe('--allocator');
});

test('nothing serious', () => {
  expect(outputOf(['advise', calm])).toMatch(/\nNothing serious/);
  expect(JSON.parse(outputOf(['advise', calm, '--format', 'json']))).toMatchObject({
    schema: 'dprof.advise/1',
    findings: [],
    all: null,
  });
});

test('of what is not serious the costliest is named, with what came nearest', () => {
  const trace = recorded(
    'small',
    `#include <stdlib.h>
     struct item { long key; char name[56]; long value; };
     int main(void) {
       struct item *items = calloc(2000, sizeof *items);
       for (int round = 0; round < 30; round++)
         for (int i = 0; i < 2000; i++) items[i].value += items[i].key;
       return items[5].value != 0;
     }`,
  );
  const words = ['advise', trace, '--min-gain', '70'];
  const { left } = JSON.parse(outputOf([...words, '--format', 'json']));
  const [{ type, nearest }] = left.costliest;
  expect(type).toBe('struct item');
  expect(nearest.options[0]).toBe('--split');
  const text = outputOf(words);
  expect(text).toMatch(
    /\nNothing serious: .*\n - struct item: \w[^\n]*, \d+\.\d% of the estimated cycles, \d+\.\d% of the run, /s,
  );
  expect(text.replace(/\s+/g, ' ')).toContain(
    `of the estimated cycles, ${(100 * nearest.gainShare).toFixed(1)}% of the run (less than 70%: --min-gain): keep `,
  );
  expect(text).toContain(' That change comes nearest.\n');
  expect(text).toMatch(/All that misses: dprof report .*\n$/);
});

describe('nodes in an arena, which no layout can move', () => {
  let trace = '';
  let advice: AdviceJson;
  let text = '';

  beforeAll(() => {
    trace = recorded(
      'arena',
      `#include <stdlib.h>
       struct node { struct node *next; long key; char text[48]; };
       struct edge { long weight; char text[56]; };
       static char *arena;
       static void *part(size_t bytes) { char *at = arena; arena += bytes; return at; }
       int main(void) {
         arena = malloc(4000 * (sizeof(struct node) + sizeof(struct edge)) + 8);
         struct node **nodes = malloc(4000 * sizeof *nodes);
         struct edge **edges = malloc(4000 * sizeof *edges);
         char *buffer = malloc(200000);
         for (int i = 0; i < 200000; i++) buffer[i] = i;
         for (int i = 0; i < 4000; i++) {
           nodes[i] = part(sizeof **nodes);
           (edges[i] = part(sizeof **edges))->weight = i;
         }
         for (int i = 0; i < 4000; i++) { nodes[i]->next = nodes[(i + 1231) % 4000]; nodes[i]->key = i; }
         long sum = buffer[77];
         for (int round = 0; round < 10; round++) {
           struct node *node = nodes[0];
           for (int i = 0; i < 4000; i++, node = node->next) sum += node->key;
         }
         return sum == 0;
       }`,
    );
    advice = JSON.parse(outputOf(['advise', trace, '--min-gain', '20', '--format', 'json']));
    text = outputOf(['advise', trace, '--min-gain', '20'], { COLUMNS: '80' });
  });

  test('what cannot be tried is told, with the reason', () => {
    expect(advice.findings).toEqual([]);
    for (const { nearest, untried } of advice.left.costliest!) expect(nearest === null).toBe(untried !== null);
    const of = (type: string) => advice.left.costliest!.find((one) => one.type === type || one.name === type);
    expect(of('buffer')?.untried).toBe('no change of layout helps what is touched once, only less data');
    expect(of('struct node')?.untried).toMatch(
      /^\d changes cannot be made in this run: it lies in memory that nobody counts as /,
    );
  });

  test('what was tried and what was refused are all that the progress counts', () => {
    const { tried, refused } = advice;
    const { stderr } = runDprof(['advise', trace, '--min-gain', '20'], { DPROF_PROGRESS: '1' });
    const counted = [...stderr.matchAll(/trying (\d+) change/g)].map(([, count]) => Number(count));
    for (const count of counted) expect(count).toBeLessThanOrEqual(tried + refused!);
    expect(refused).toBeGreaterThan(0);
    const all = `${tried === 0 ? `no change: ${refused}` : `${tried} of ${tried + refused!}`} changes`;
    expect(text.replace(/\s+/g, ' ')).toContain(`tried ${all}`);
  });

  test('the best that was tried stands there with the command that repeats it', () => {
    const { bestTried } = advice;
    if (!bestTried) return expect(text).not.toContain('The best that was tried');
    const [, command] = /\n {2}dprof (what-if .*)\n/.exec(text)!;
    const { totals } = JSON.parse(outputOf([...command.split(' '), '--format', 'json', '--no-cache']));
    const { before, after } = totals.missLatencyCycles;
    expect(bestTried.cycles).toEqual({ before, after });
    expect(bestTried.gainShare).toBeCloseTo((before - after) / (advice.cycles + advice.instructions), 9);
  });

  test('the text fits 80 columns, and has both shares of each', () => {
    expect(text.split('\n').filter((line) => line.length > 80 && !line.includes('dprof '))).toEqual([]);
    const items = text.replace(/\n {3}/g, ' ').match(/^ - .*/gm)!;
    expect(items).toHaveLength(advice.left.costliest!.length);
    for (const item of items) expect(item).toMatch(/% of the estimated cycles, <?\d+\.\d% of the run/);
  });
});

test('objects that lie in two lines', () => {
  const trace = recorded(
    'two-lines',
    `#include <stdlib.h>
     struct record { long key, value, count, sum, last, first, more; };
     int main(void) {
       struct record *records = calloc(8000, sizeof *records);
       unsigned at = 1;
       for (int i = 0; i < 50000; i++) {
         at = at * 1664525u + 1013904223u;
         struct record *one = &records[(at >> 8) % 8000];
         one->count++; one->sum += one->value; one->last = i; one->first ^= one->key; one->more++;
       }
       return records[at % 8000].sum != 0;
     }`,
  );
  const { findings } = JSON.parse(outputOf(['advise', trace, '--l2', '64K/8', '--format', 'json']));
  expect(findings[0]).toMatchObject({
    kind: 'straddling',
    type: 'struct record',
    change: { options: ['--align', 'struct record=64'] },
  });
  expect(outputOf(['advise', trace, '--l2', '64K/8'])).toContain('1. struct record: objects that lie in two lines');
});

test('a lock and data on one line', () => {
  const trace = recorded(
    'lock',
    `#include <pthread.h>
     #include <stdatomic.h>
     static struct guarded { atomic_int lock; volatile long data; } guarded;
     static void *take(void *none) {
       for (int i = 0; i < 10000; i++) {
         while (atomic_exchange(&guarded.lock, 1)) {}
         atomic_store(&guarded.lock, 0);
       }
       return none;
     }
     static void *use(void *none) {
       for (int i = 0; i < 10000; i++) guarded.data++;
       return none;
     }
     int main(void) {
       pthread_t threads[2];
       pthread_create(&threads[0], 0, take, 0);
       pthread_create(&threads[1], 0, use, 0);
       pthread_join(threads[0], 0);
       pthread_join(threads[1], 0);
       return 0;
     }`,
  );
  const { findings } = JSON.parse(outputOf(['advise', trace, '--format', 'json']));
  expect(findings[0]).toMatchObject({ kind: 'lock-and-data', type: 'struct guarded' });
  expect(findings[0].change.options[0]).toBe('--align');
  expect(outputOf(['advise', trace])).toContain('1. struct guarded: a lock and data on one line');
});

test('two fields that one vector loads and stores are both hot; shares of cycles add up', () => {
  const trace = recorded(
    'wide',
    `#include <stdlib.h>
     #include <string.h>
     struct cell { char name[96]; long a, b; long never; };
     typedef long two __attribute__((vector_size(16), aligned(8), may_alias));
     int main(void) {
       struct cell *cells = calloc(20000, sizeof *cells);
       for (int round = 1; round < 6; round++)
         for (int i = 0; i < 20000; i++) *(volatile two *)&cells[i].a += round;
       return cells[7].a != 15;
     }`,
  );
  const { findings } = JSON.parse(outputOf(['advise', trace, '--format', 'json']));
  const [{ change, cyclesShare, others }] = findings;
  expect(change.options).toEqual(['--split', 'struct cell: a,b | *']);
  expect(change.structs[0].before.fields.map(({ use }: { use: string }) => use)).toEqual([
    'never used',
    'hot',
    'hot',
    'never used',
  ]);
  const shares = others.map((one: { cyclesShare: number }) => one.cyclesShare);
  expect(shares.reduce((sum: number, one: number) => sum + one, cyclesShare)).toBeLessThan(1.0001);
});

test('columns of a grid: the text of a finding fits 80 columns, and ends in what repeats it', () => {
  const text = outputOf(['advise', columns], { COLUMNS: '80' });
  expect(text).toContain('1. grid (double[]): conflicts');
  expect(text).toContain('what-if ');
  expect(text).toContain('--pad-rows grid/4096=+64');
  const words = text.replace(/\s+/g, ' ');
  expect(words).toMatch(/1\. grid \(double\[\]\): conflicts [\d.]+% of the estimated cycles, [\d.]+% of the run \(/);
  expect(words).toMatch(/ It saves [\d.]+% of the estimated cycles, [\d.]+% of the run\./);
  const long = text.split('\n').filter((line) => line.length > 80 && !line.includes('dprof what-if'));
  expect(long).toEqual([]);
});

test('dprof html takes its JSON, whose totals are those of a report', () => {
  const file = join(folder, 'columns.json');
  writeFileSync(file, outputOf(['advise', columns, '--format', 'json']));
  outputOf(['html', columns, '--advice', file, '-o', join(folder, 'columns.html')]);
  const { trace, cycles, instructions } = JSON.parse(readFileSync(file, 'utf8'));
  const { totals } = JSON.parse(outputOf(['report', columns, '--format', 'json']));
  expect([trace, cycles, instructions]).toEqual([columns, totals.missLatencyCycles, totals.instructions]);
});

test('the run time is instructions, and the misses of each function as far as they do not overlap', () => {
  const cpi = 0.5;
  const { instructions, findings } = JSON.parse(outputOf(['advise', columns, '--format', 'json', '--cpi', `${cpi}`]));
  const { rows, totals } = JSON.parse(outputOf(['report', columns, '--view', 'functions', '--format', 'json']));
  let cycles = instructions * cpi;
  for (const { references, levels, levelCycles } of rows) {
    const own = (instructions * (references.loads + references.stores)) / totals.references;
    for (const level of ['l1', 'l2', 'llc'])
      cycles += levelCycles[level] / Math.min(10, 1 + (224 * levels[level].misses) / own);
  }
  const [{ predicted }] = findings;
  expect(Math.abs(predicted.runTime.before - cycles)).toBeLessThan(1);
  expect(predicted.runTime.after).toBeLessThan(predicted.runTime.before);
});
