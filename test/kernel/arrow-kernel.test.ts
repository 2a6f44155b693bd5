// A kernel in C that takes Arrow's C stream gets the rows of JSON lines: read by hand, and by DuckDB's C library.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputOf, runDprof } from '../cli/command-client.js';
import { COLUMN_NAMES, STREAM_COLUMNS } from '../../src/stream/stream-columns.js';
import { recordOrders } from '../recorded/orders.js';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dprof-arrow-kernel-'));
const trace = join(folder, 'orders.dptrace');
const names = COLUMN_NAMES.filter((name) => !/^(cacheLine|process|site|caller\d?)$/.test(name));
const window = ['--from', '90000', '--to', '100000'];
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(() => recordOrders(folder, '-fdprof-values'));

/** The text of a kernel in C. */
const kernel = (columns: readonly string[], run: string, before = ''): string => `
  #include <dprof/kernel.h>
  #include <inttypes.h>
  #include <stdlib.h>
  #include <string.h>
  ${before}
  static const char *const columns[] = {${columns.map((name) => `"${name}", `).join('')}NULL};
  static int run(struct ArrowArrayStream *stream, FILE *answer) { ${run} }
  const struct dprof_arrow_kernel_functions dprof_arrow_kernel = {DPROF_KERNEL_VERSION, columns, run};`;

function fileOf(text: string): string {
  const file = join(folder, 'kernel.c');
  writeFileSync(file, text);
  return file;
}

test('all columns, by hand; children are taken out, and outlive their struct', () => {
  const file = fileOf(
    kernel(
      names,
      `struct ArrowSchema schema;
       if (stream->get_schema(stream, &schema) || strcmp(schema.format, "+s")) return 1;
       for (struct ArrowArray rows; !stream->get_next(stream, &rows) && rows.release;) {
         const int64_t count = rows.length, children = rows.n_children;
         struct ArrowArray *taken = malloc(children * sizeof *taken);
         for (int64_t at = 0; at < children; at++) taken[at] = *rows.children[at], rows.children[at]->release = NULL;
         rows.release(&rows);
         if (rows.release) return 2;
         for (int64_t row = 0; row < count; row++) {
           for (int64_t at = 0; at < children; at++) {
             fprintf(answer, "%s\\"%s\\":", at ? "," : "{", schema.children[at]->name);
             print(answer, schema.children[at], &taken[at], row);
           }
           fprintf(answer, "}\\n");
         }
         for (int64_t at = 0; at < children; at++) taken[at].release(&taken[at]);
         free(taken);
       }
       schema.release(&schema);
       stream->release(stream);
       return stream->release != NULL;`,
      `static uint64_t number(const struct ArrowSchema *of, const struct ArrowArray *values, int64_t row) {
         const void *from = values->buffers[1];
         switch (*of->format) {
           case 'C': return ((const uint8_t *)from)[row];
           case 'S': return ((const uint16_t *)from)[row];
           case 'I': return ((const uint32_t *)from)[row];
           case 'L': return ((const uint64_t *)from)[row];
         }
         abort();
       }
       static void print(FILE *to, const struct ArrowSchema *of, const struct ArrowArray *values, int64_t row) {
         const uint8_t *known = values->buffers[0];
         if (values->null_count < 0 || (values->null_count && !known)) abort();
         if (values->offset || values->n_buffers != 2) abort();
         if (known && !(known[row / 8] >> row % 8 & 1)) { fprintf(to, "null"); return; }
         const uint64_t is = number(of, values, row);
         if (!of->dictionary) { fprintf(to, is > (1ull << 53) ? "\\"%" PRIu64 "\\"" : "%" PRIu64, is); return; }
         const struct ArrowArray *words = values->dictionary;
         const int32_t *ends = words->buffers[1];
         if (strcmp(of->dictionary->format, "u") || (int64_t)is >= words->length) abort();
         fprintf(to, "\\"%.*s\\"", (int)(ends[is + 1] - ends[is]), (const char *)words->buffers[2] + ends[is]);
       }`,
    ),
  );
  const expected = outputOf(['stream', trace, '--columns', names.join(','), ...window]);
  expect(expected.split('\n').length).toBeGreaterThan(1000);
  expect(outputOf(['kernel', file, trace, ...window]).split('\n')).toEqual(expected.split('\n'));
});

/** DuckDB's C library, which has the interface since its beginnings, asks for the rows itself. */
function duckDbKernel(columns: readonly string[], query: string): string {
  const require = createRequire(import.meta.resolve('@duckdb/node-api'));
  const library = join(dirname(require.resolve('@duckdb/node-bindings-linux-x64/package.json')), 'libduckdb.so');
  return kernel(
    columns,
    `void *duckdb = dlopen("${library}", RTLD_NOW), *database, *connection;
     if (!duckdb) return 1;
     int (*open)(const char *, void **) = dlsym(duckdb, "duckdb_open");
     int (*connect)(void *, void **) = dlsym(duckdb, "duckdb_connect");
     int (*scan)(void *, const char *, void *) = dlsym(duckdb, "duckdb_arrow_scan");
     int (*query)(void *, const char *, struct result *) = dlsym(duckdb, "duckdb_query");
     char *(*text)(struct result *, uint64_t, uint64_t) = dlsym(duckdb, "duckdb_value_varchar");
     if (open(NULL, &database) || connect(database, &connection)) return 2;
     if (scan(connection, "refs", stream)) return 3;
     struct result result;
     if (query(connection, ${JSON.stringify(query)}, &result)) return fprintf(answer, "%s", result.error), 4;
     fprintf(answer, "%s\\n", text(&result, 0, 0));
     return 0;`,
    `#include <dlfcn.h>
     struct result { uint64_t columns, rows, changed; void *deprecated; char *error; void *own; };`,
  );
}

test('DuckDB reads the stream', () => {
  const sums = names.map((name) => {
    const isWord = STREAM_COLUMNS[name].kind === 'words';
    return `'${name}', [count("${name}"), ${isWord ? `count(distinct "${name}")` : `sum("${name}" % 4096)::bigint`}]`;
  });
  const query = `select json_object(${sums.join(', ')})::varchar as all from refs`;
  const [{ all }] = JSON.parse(
    outputOf(['sql', trace, query.replace(' as all', ' as "all"'), '--format', 'json', '--no-cache']),
  ) as [{ all: string }];
  const found = outputOf(['kernel', fileOf(duckDbKernel(names, query.replace(' as all', ''))), trace]);
  expect(JSON.parse(found)).toEqual(JSON.parse(all));
});

test('the example counts what SQL counts', () => {
  const query = 'select count(*) as refs, count(miss) as misses, sum(latency)::bigint as cycles from refs';
  const [{ refs, misses, cycles }] = JSON.parse(outputOf(['sql', trace, query, '--format', 'json', '--no-cache'])) as [
    Record<string, number>,
  ];
  const text = outputOf(['kernel', join(ROOT, 'examples/kernels/arrow.c'), trace]);
  expect(text).toBe(`${refs} references, ${misses} misses, ${cycles} cycles\n`);
});

const empty = 'struct ArrowArray rows; while (!stream->get_next(stream, &rows) && rows.release) rows.release(&rows);';

test.each([
  ['takes only some of the rows', ['type'], 'return 0;', 0, ''],
  ['says that it failed', ['type'], `${empty} return 7;`, 1, 'run() returned 7'],
  ['never ends', ['type'], 'for (volatile int i = 0;;) i++;', 1, 'run() has not ended for 1 s'],
  ['crashes', ['type'], 'abort();', 1, 'it crashed (SIGABRT)'],
  ['names a column twice', ['type', 'type'], 'return 0;', 2, 'the column type stands twice'],
  ['names one that it cannot have', ['site'], 'return 0;', 2, 'cannot have the column site'],
])('a kernel that %s', (_, columns, run, status, message) => {
  const limit = message.includes('has not ended') ? ['--limit', '1'] : [];
  const outcome = runDprof(['kernel', fileOf(kernel(columns, run)), trace, ...limit]);
  expect(outcome.stderr).toContain(message);
  expect(outcome.status).toBe(status);
});

test('the rows of a damaged trace end in an error that the kernel sees, and so does whoever started it', () => {
  const bytes = readFileSync(trace);
  bytes.fill(0xff, bytes.length >> 1, (bytes.length >> 1) + 4096);
  const damaged = join(folder, 'damaged.dptrace');
  writeFileSync(damaged, bytes);
  const file = fileOf(kernel(['type', 'miss'], `${empty} return 0;`));
  const outcome = runDprof(['kernel', file, damaged]);
  const other = runDprof(['stream', damaged, '--columns', 'type,miss']);
  expect(other.stderr).not.toBe('');
  expect([outcome.status, outcome.stderr]).toEqual([other.status, other.stderr]);
});
