// The kernels of examples/kernels say what the views that know the same numbers say; a kernel that makes no sense is
// refused.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atLength } from '../at-length.js';
import { DPROF, outputOf, runDprof, start } from '../cli/command-client.js';
import { COLUMN_NAMES, STREAM_COLUMNS } from '../../src/stream/stream-columns.js';
import { saveTrace, writePairTrace } from '../cli/command-line.js';
import { recordOrders } from '../recorded/orders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const KERNELS = join(ROOT, 'examples/kernels');
const folder = mkdtempSync(join(tmpdir(), 'dprof-kernels-'));
const trace = join(folder, 'orders.dptrace');
afterAll(() => rmSync(folder, { recursive: true }));

type Row = Record<string, any>;

const answerOf = (name: string, ...words: string[]): Row[] =>
  JSON.parse(outputOf(['kernel', join(KERNELS, `${name}.ts`), trace, '--format', 'json', ...words])) as Row[];
const reportOf = (...words: string[]): Row =>
  JSON.parse(outputOf(['report', trace, '--format', 'json', '--no-cache', ...words])) as Row;
const ask = (query: string): Row[] =>
  JSON.parse(outputOf(['sql', trace, query, '--format', 'json', '--no-cache'])) as Row[];
const sumOf = (rows: Row[], column: string): number => rows.reduce((sum, row) => sum + (row[column] as number), 0);

/** For kernels that are refused, or have nothing to count. */
let short: string;

beforeAll(() => {
  recordOrders(folder, '-fdprof-values');
  short = saveTrace(folder, 'pair.dptrace', writePairTrace().finish({ exit: { code: 0 } }));
});

test('there are nine, each of at most 25 lines', () => {
  const files = readdirSync(KERNELS);
  expect(files.filter((file) => file.endsWith('.ts'))).toHaveLength(9);
  for (const file of files)
    expect(readFileSync(join(KERNELS, file), 'utf8').trimEnd().split('\n').length, file).toBeLessThanOrEqual(25);
});

test('variables', () => {
  const counted = answerOf('variables').find(({ variable }) => variable === 'counted')!;
  const { references } = (reportOf().rows as Row[]).find(({ type }) => type === 'long[]')!; // all of it is `counted`
  expect(references.loads + references.stores).toBe(counted.count);
  expect(counted).toMatchObject({ second: 0, count: 20_004 });
  expect(answerOf('variables')).toEqual(
    ask(
      `select (time // 1000000000)::int as second, variable, count(*) as count from refs where variable is not null
       group by all order by count desc, variable limit 20`,
    ),
  );
});

test('pointers', () => {
  const rows = answerOf('pointers');
  const all = ask(
    `select address, thread, variable, file, line, count(*) as count from refs group by all
     order by count desc, address, thread limit 40`,
  );
  expect(rows.map(({ count }) => count as number)).toEqual(all.slice(0, 20).map(({ count }) => count as number));
  for (const row of rows.filter(({ count }) => count > all[20].count)) expect(all).toContainEqual(row);
});

test('missing lines: cycles of all misses, by class, are those of the miss classification', () => {
  const rows = answerOf('missing-lines');
  const { totals } = reportOf('--view', 'miss-classification');
  expect(sumOf(rows, 'cycles')).toBe(totals.missLatencyCycles);
  expect(rows[0]).toMatchObject({ function: 'sum', line: 34, miss: 'false-sharing' });
});

test('missing paths: the same cycles, by who called whom', () => {
  const rows = answerOf('missing-paths');
  expect(sumOf(rows, 'cycles')).toBe(reportOf('--view', 'miss-classification').totals.missLatencyCycles);
  const path = ['function', 'caller', 'caller2', 'caller3', 'caller4'].join(', ');
  expect(rows).toEqual(
    ask(
      `select concat_ws(' < ', ${path}) as path, sum(latency)::int as cycles from refs where miss is not null
       group by all order by cycles desc, path limit 20`,
    ),
  );
  expect(rows.map(({ path: of }) => of)).toContain('main');
});

test('phases: all misses', () => {
  const text = outputOf(['kernel', join(KERNELS, 'phases.ts'), trace]);
  const misses = text
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.split(' ').at(-1)));
  const { totals } = reportOf();
  expect(misses.reduce((a, b) => a + b, 0)).toBe(totals.levels.l1.misses);
});

test('reuse distances: all references but the first to each line of a type', () => {
  const rows = answerOf('reuse-distance');
  const all = rows.reduce(
    (sum, { type: _, ...by }) => sum + Object.values(by).reduce((a, b) => a + (b as number), 0),
    0,
  );
  const [{ refs, lines }] = ask('select count(*) as refs, count(distinct cacheLine) as lines from refs');
  expect(all).toBe(refs - lines);
});

test('transfers: those that a cache served', () => {
  const [{ n }] = ask("select count(*) as n from refs where server = 'cache'");
  expect(sumOf(answerOf('transfers'), 'count')).toBe(n);
  expect(n).toBeGreaterThan(20_000);
});

test('last writers: main wrote what threads then read', () => {
  const [first, second] = answerOf('last-writer');
  expect(first).toMatchObject({ writer: 'add', user: 'sum', line: 34 });
  expect(second).toMatchObject({ writer: 'sum', 'its line': 34, user: 'sum', line: 34 });
});

test('working set: bytes of lines', () => {
  const rows = answerOf('working-set');
  for (const { type, bytes } of rows) {
    const [{ lines }] = ask(
      `select count(distinct cacheLine) as lines from refs where coalesce(type, '(none)') = '${type}'`,
    );
    expect(bytes, type).toBe(64 * lines);
  }
});

test('by both engines, by any number of workers, on another machine', () => {
  const words = ['--machine', 'zen3', '--schedule', 'random:7', '--to', '30K'];
  const expected = answerOf('missing-lines', ...words);
  for (const more of [['--engine', 'ts'], ['--workers', '5'], ...atLength([], [['--workers', '1']])])
    expect(answerOf('missing-lines', ...words, ...more)).toEqual(expected);
});

test('in C', () => {
  const text = outputOf(['kernel', join(KERNELS, 'types.c'), trace, '--machine', 'zen3', '--schedule', 'random:7']);
  const found = text
    .trimEnd()
    .split('\n')
    .map((line) => /^(.*) (\d+) (\d+)$/.exec(line)!)
    .map(([, type, refs, misses]) => ({ type, refs: Number(refs), misses: Number(misses) }));
  const query = 'select type, count(*) refs, count(miss) misses from refs where type is not null group by 1 order by 1';
  const words = ['--format', 'json', '--machine', 'zen3', '--schedule', 'random:7'];
  expect(found).toEqual(JSON.parse(outputOf(['sql', trace, query, ...words])));
});

test('each column that a kernel in C can have', () => {
  const names = COLUMN_NAMES.filter((name) => !/^(cacheLine|process|site|caller\d?)$/.test(name));
  const source = join(folder, 'all.c');
  writeFileSync(
    source,
    `#include <dprof/kernel.h>
     static const char *const columns[] = {${names.map((name) => `"${name}"`).join(', ')}, NULL};
     static double sums[64]; static int seen;
     static void batch(void *state, const struct dprof_kernel_rows *rows) {
       for (int at = 0; columns[at]; at++) for (size_t row = 0; row < rows->count; row++) {
         const struct dprof_kernel_column *of = &rows->columns[at];
         if (of->words) { sums[at] += dprof_kernel_word(of, row) != NULL; continue; }
         if (of->known) {
           sums[at] += dprof_kernel_is_known(of, row) ? ((const uint64_t *)of->values)[row] % 4096 : 4096;
           continue;
         }
         double value = of->bytes == 8 ? (long)((const double *)of->values)[row] % 4096 : dprof_kernel_value(of, row);
         sums[at] += value == 4294967295 ? 0 : value;
       }
     }
     static void end(void *state, FILE *answer) {
       for (int at = 0; columns[at]; at++) fprintf(answer, "%s%.17g", at ? "," : "[", sums[at]);
       fprintf(answer, "]");
     }
     const struct dprof_kernel_functions dprof_kernel = {DPROF_KERNEL_VERSION, columns, NULL, batch, end};`,
  );
  const sumsOf = (name: (typeof names)[number]): string => {
    const { kind } = STREAM_COLUMNS[name];
    if (kind === 'u64') return `sum(coalesce("${name}" % 4096, 4096))::double`;
    return kind === 'words' ? `count("${name}")` : `sum("${name}"${kind === 'u53' ? ' % 4096' : ''})::double`;
  };
  const [expected] = ask(`select ${names.map((name) => `${sumsOf(name)} as "${name}"`).join(', ')} from refs`);
  const found = JSON.parse(outputOf(['kernel', source, trace])) as number[];
  expect(found).toEqual(names.map((name) => expected[name] ?? 0));
});

test.each([
  ['is no C', 'int main(void) {', 'error: expected'],
  ['defines none', 'int a;', 'it defines no dprof_kernel, and no dprof_arrow_kernel'],
  [
    'is of another version',
    '#include <dprof/kernel.h>\nconst struct dprof_kernel_functions dprof_kernel = {9};',
    'its dprof_kernel is of version 9, and this dprof has 2',
  ],
  [
    'defines both',
    `#include <dprof/kernel.h>
     const struct dprof_kernel_functions dprof_kernel = {2};
     const struct dprof_arrow_kernel_functions dprof_arrow_kernel = {2};`,
    'it defines both dprof_kernel and dprof_arrow_kernel',
  ],
  [
    'has no run()',
    '#include <dprof/kernel.h>\nconst struct dprof_arrow_kernel_functions dprof_arrow_kernel = {2};',
    'its dprof_arrow_kernel lacks one of its parts',
  ],
  [
    'names a column that is none',
    `#include <dprof/kernel.h>
     static const char *const columns[] = {"typ", NULL};
     static void batch(void *s, const struct dprof_kernel_rows *r) {}
     static void end(void *s, FILE *f) {}
     const struct dprof_kernel_functions dprof_kernel = {DPROF_KERNEL_VERSION, columns, NULL, batch, end};`,
    "there is no column 'typ'",
  ],
])('a kernel in C that %s is refused', (_, text, message) => {
  const file = join(folder, 'bad.c');
  writeFileSync(file, text);
  const { status, stderr } = runDprof(['kernel', file, short]);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  expect(status).toBe(2);
});

const inC = (batch: string, more = ''): string => `#include <dprof/kernel.h>
  ${more}
  static const char *const columns[] = {"type", NULL};
  static void batch(void *s, const struct dprof_kernel_rows *r) { ${batch} }
  static void end(void *s, FILE *f) { fprintf(f, "said\\n"); }
  const struct dprof_kernel_functions dprof_kernel = {DPROF_KERNEL_VERSION, columns, NULL, batch, end};`;

test.each([
  ['crashes', inC('*(volatile int *)8 = 1;'), 'it crashed (SIGSEGV)'],
  ['exits', inC('exit(3);', '#include <stdlib.h>'), 'it exited with code 3'],
  ['never ends', inC('for (volatile int i = 0;;) i++;'), 'batch() has not ended for 1 s'],
  [
    'crashes when it is loaded',
    inC('', '#include <stdlib.h>\n__attribute__((constructor)) static void at(void) { abort(); }'),
    'it crashed (SIGABRT)',
  ],
])('a kernel in C that %s takes nothing with it', (_, text, message) => {
  const file = join(folder, 'bad.c');
  writeFileSync(file, text);
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  const limit = message.includes('has not ended') ? ['--limit', '1'] : [];
  const { status, stderr } = runDprof(['kernel', file, short, ...limit], { TMPDIR: temporary });
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  expect(status).toBe(1);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a kernel in C of a trace that comes through a pipe', () => {
  const file = join(folder, 'good.c');
  writeFileSync(file, inC(''));
  const { status, stdout } = start(['sh', '-c', `cat ${short} | ${DPROF} kernel ${file} -`], process.env);
  expect(stdout).toBe('said\n');
  expect(status).toBe(0);
});

const head = "import { kernel } from 'dprof';\nexport default ";
test.each([
  ['is not there', null, 'there is no', 2],
  ['is no TypeScript', 'export default {', 'Expected identifier but found end of file', 2],
  ['imports what is not there', "import 'nothing-of-that-name';", 'Could not resolve "nothing-of-that-name"', 2],
  ['has no default export', 'export const a = 1;', 'has no default export', 2],
  ['names no columns', `${head}kernel({ batch() {} });`, 'names no columns', 2],
  ['names one that is none', `${head}kernel({ columns: ['typ'], batch() {} });`, "there is no column 'typ'", 2],
  ['has no batch', `${head}kernel({ columns: [] });`, 'has no batch(rows, counts)', 2],
  ['lacks a merge', `${head}kernel({ columns: [], start: () => 0, batch() {} });`, 'and no merge(a, b)', 2],
  [
    'throws',
    `${head}kernel({ columns: [], batch() { throw new Error('out of luck'); } });`,
    'batch() threw: out of luck',
    1,
  ],
  [
    'counts too many keys',
    `${head}kernel({ columns: [], batch() { throw new RangeError('Map maximum size exceeded'); } });`,
    'more keys than a Map holds, 16.7 million: count by fewer columns, or ask dprof sql',
    1,
  ],
  ['throws at the end', `${head}kernel({ columns: [], batch() {}, end() { null.x; } });`, 'end() threw: ', 1],
  [
    'merges to nothing',
    `${head}kernel({ columns: [], start: () => [], batch() {}, merge() {} });`,
    'merge(a, b) returned nothing',
    1,
  ],
  ['is async', `${head}kernel({ columns: [], async batch() {} });`, 'batch() is async', 1],
  [
    'has a state that cannot be sent',
    `${head}kernel({ columns: [], start: () => new WeakMap(), merge: (a) => a, batch() {} });`,
    'the state cannot leave its worker',
    1,
  ],
  [
    'has an answer that cannot be sent',
    `${head}kernel({ columns: [], batch() {}, end: () => () => 1 });`,
    'the answer cannot',
    1,
  ],
  ['exits', `${head}kernel({ columns: [], batch() { process.exit(3); } });`, 'exited with code: 3', 1],
  // Each that does not end takes a second.
  ...atLength<[string, string, string, number][]>(
    [],
    [
      [
        'has an end that never ends',
        `${head}kernel({ columns: [], batch() {}, end() { for (;;); } });`,
        'has not ended for 1 s',
        1,
      ],
      [
        'never begins',
        `${head}kernel({ columns: [], batch() {} }); for (;;);`,
        'its top level has not ended for 1 s',
        1,
      ],
    ],
  ),
  ['never ends', `${head}kernel({ columns: [], batch() { for (;;); } });`, 'batch() has not ended for 1 s', 1],
  ['has an async end', `${head}kernel({ columns: [], batch() {}, async end() {} });`, 'end() is async', 1],
  ['throws null', `${head}kernel({ columns: [], batch() {} }); throw null;`, 'bad.ts: null', 2],
  [
    'throws what says nothing',
    `${head}kernel({ columns: [], batch() {}, end() { throw { toString: null }; } });`,
    'end() threw: what no text can be made of',
    1,
  ],
  [
    'answers rows in a circle',
    `${head}kernel({ columns: [], batch() {}, end() { const row = {}; row.row = row; return [row]; } });`,
    'JSON cannot say its answer',
    1,
  ],
  ['answers what JSON has no word for', `${head}kernel({ columns: [], batch() {}, end: () => 1n });`, 'JSON cannot', 1],
])('a kernel that %s is refused', (_, text, message, status) => {
  const file = join(folder, 'bad.ts');
  rmSync(file, { force: true });
  if (text !== null) writeFileSync(file, text);
  // Only these: starting a worker may take a second where there is much to do.
  const limit = message.includes('has not ended') ? ['--limit', '1'] : [];
  const outcome = runDprof(['kernel', file, short, ...limit, '--workers', '2']);
  expect(outcome.stderr).toContain(message);
  expect(outcome.stderr.trimEnd().split('\n')).toHaveLength(2);
  expect(outcome.status).toBe(status);
});

// Node 20 aborts the whole process if a thread is ended while require() links a module, as a kernel's often are.
test('a worker takes no module by require()', () => {
  const file = join(folder, 'required.ts');
  writeFileSync(
    file,
    `import { createRequire } from 'node:module';\nimport { basename } from 'node:path';
     ${head}kernel({ columns: [], batch() {}, end: () => Object.keys(createRequire('/').cache).map((at) => basename(at)) });`,
  );
  const loaded = JSON.parse(outputOf(['kernel', file, short])) as string[];
  expect(loaded).toContain('entry.cjs');
  expect(loaded).not.toContain('kernel-worker.js');
});
