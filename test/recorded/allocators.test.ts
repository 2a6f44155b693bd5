// Stage: test. Memory that a program's own allocators hand out is objects of its own, at every level of optimisation.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TARGET_FLAGS } from '../aarch64/target.js';
import { build, dump, FOLDER, PROGRAMS, record, report, ROOT } from './recorded.js';

const YAML = join(PROGRAMS, 'pools.yaml');
const CACHES = join(PROGRAMS, 'caches.yaml');

/** "bytes type: lives" of what the allocators of pools.cc handed out. */
function parts(trace: string): string[] {
  const rows = dump(trace).flatMap((line, at, all) => {
    const bytes = /^ {2}allocate stamp \d+ part [0-9a-f]+ (\d+) bytes( of pool)?/.exec(line);
    const type = /\(site ?(.*)@\d+\)$/.exec(
      all.slice(at + 1).find((next) => next.startsWith('  allocation')) ?? '',
    )?.[1];
    return bytes ? [`${bytes[1]} ${type}${bytes[2] ?? ''}`] : [];
  });
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
  return [...counts].map(([row, count]) => `${row}: ${count}`).sort();
}

const EXPECTED = [
  '16 node: 16',
  '24 shop::Order.order of pool: 3',
  '24 shop::Order.slot: 1',
  '32 page: 1',
  '64 shop::Item.first of pool: 3',
];

describe.each(['-O0', '-O2'])('at %s', (level) => {
  it('each object that the description names has its size, type and pool', () => {
    const trace = record(build('pools.cc', [level, '--allocators', YAML]));
    expect(parts(trace)).toEqual(EXPECTED);
    const types = new Map(report(trace, 'data-profile').rows.map((row) => [row.type, row]));
    expect(types.get('page')?.references).toEqual({ loads: 0, stores: 1 });
    expect(types.get('node')?.references).toEqual({ loads: 0, stores: 16 });
    expect(types.has('shop::Item')).toBe(true);
  });

  it('the environment names the description as well', () => {
    expect(parts(record(build('pools.cc', [level], { DPROF_ALLOCATORS: YAML })))).toEqual(EXPECTED);
  });
});

it('a ready description, beside a file', () => {
  const lines = join(FOLDER, 'more.in');
  writeFileSync(lines, 'make_node -1 0 -1\n');
  expect(parts(record(build('apr.c', ['-O1', '--allocators=apr'])))).toEqual(['16 struct node.one of pool: 3']);
  expect(parts(record(build('apr.c', ['-O1', `--allocators=apr,${lines}`])))).toEqual([
    '16 struct node.last: 1',
    '16 struct node.one of pool: 3',
  ]);
});

it.each(['apr', 'leveldb', 'palloc', 'pymalloc', 'talloc'])('the ready description %s can be read', (name) => {
  expect(parts(record(build('pools.cc', ['-O1', `--allocators=${name},${YAML}`])))).toEqual(EXPECTED);
});

it("DINAMITE's alloc.in lines say the same", () => {
  const lines = join(FOLDER, 'alloc.in');
  writeFileSync(lines, '# func number size addr\nmake_node -1 1 0\n!make_node_def -1 -1 2\nmalloc -1 0 -1\n');
  expect(parts(record(build('pools.cc', ['-O1', `-fdprof-allocators=${lines}`])))).toEqual([
    '16 node: 16',
    '32 page: 1',
  ]);
});

it.each([
  ['- function: f\n  sise: 3\n', ":2: can not read 'sise'"],
  ['- function: f\n  size: many\n', ":2: can not read 'size'"],
  ['- size: 1\n', ":1: an allocator has no 'function: NAME'"],
  ['function: f\n', ':1: expected a list of allocators'],
  [
    '- function: f\n  frees: 0\n  frees-pool: 0\n',
    ':1: one of frees, reallocates, frees-pool, acquires and releases, not several',
  ],
  ['- function: "a["\n', ":1: can not read 'function'"],
  ['- [\n', ':2: '],
  ['- function: f\n  size: 0->\n', ":2: can not read 'size'"],
  ['- function: f\n  size: cache->size\n', ":2: can not read 'size'"],
  ['- function: f\n  size: 0->a..b\n', ":2: can not read 'size'"],
  ['- function: f\n  size: 0\n  name: 0->name\n', ":1: 'name' and 'types' belong together"],
  ['- function: f\n  size: 0\n  types: {a: struct a}\n', ":1: 'name' and 'types' belong together"],
  ['- function: f\n  name: 0\n  types: {a: struct a, a: struct b}\n', ":3: can not read 'types'"],
  ['- function: f\n  name: 0\n  types: {a: [b]}\n', ":3: can not read 'types'"],
  ['- function: f\n  name: 0\n  types: struct a\n', ":3: can not read 'types'"],
  ['- function: f\n  frees: 0\n  table: pages\n', ":1: 'table', 'memory' and 'unit' belong together"],
  ['- function: f\n  shift: 1\n', ":1: 'shift' needs 'bytes'"],
  ['- function: f\n  bytes: 8\n  shift: 1\n  size: 0\n', ":1: 'size' or 'shift', not both"],
  ['- function: f\n  size: 0\n  each: 1\n', ":1: 'each' needs 'out' or 'frees'"],
  ['- function: f\n  size: 0\n  when: entry\n', ":1: 'when: entry' needs 'out'"],
  ['- function: f\n  out: 1\n  size: 0\n  when: later\n', ":4: can not read 'when': expected entry or return"],
  ['- function: f\n  given-by: g\n', ":2: 'given-by' names no entry of this file: g"],
  ['- function: f\n  given-by: f\n  bytes: 8\n', ":1: 'given-by' goes with size, count, type, name and types"],
  ['- &one\n  function: f\n  size: *one\n', ':2: expected keys with one value each'],
  ['f 1 2\n', ":1: expected 'function number size address'"],
  ['f 1 2 -2\n', ":1: expected 'function number size address'"],
])('a description that can not be read is an error of one line: %j', (text, expected) => {
  const file = join(FOLDER, 'bad.yaml');
  writeFileSync(file, text);
  const { status, stderr } = spawnSync(
    join(ROOT, 'bin/dprof-cc'),
    ['--allocators', file, '-c', '-x', 'c', '-', '-o', '/dev/null'],
    { input: 'int x;\n', encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toContain(`dprof: ${file}${expected}`);
  expect(stderr.split('\n').filter((line) => line.includes('error:'))).toHaveLength(1);
});

it('what an obstack hands out is counted where dprof.h says it', () => {
  const trace = record(build('obstack.c', ['-O1']));
  expect(parts(trace)).toEqual(['16 struct node: 400']);
  const node = report(trace, 'data-profile').rows.find(({ type }) => type === 'struct node');
  expect(node).toMatchObject({ references: { stores: 400 }, liveObjects: 400 });
});

it('compiled without dprof, the calls of dprof.h need no library and leave nothing', () => {
  const source = join(FOLDER, 'plain.c');
  writeFileSync(
    source,
    '#include <dprof.h>\nint f(char *p) { dprof_alloc(p, 8, "struct t"); dprof_mark("x"); dprof_stop(); ' +
      'dprof_start(); dprof_free(p); return 0; }\n',
  );
  const { status, stdout } = spawnSync(
    'clang-19',
    ['-O1', '-Wall', '-Wextra', '-Werror', '-I', join(ROOT, 'runtime/include'), '-S', '-emit-llvm', source, '-o', '-'],
    { encoding: 'utf8' },
  );
  expect(status).toBe(0);
  expect(stdout).not.toMatch(/call|load|store/);
});

describe.each(['-O0', '-O2'])('called by a pointer, at %s', (level) => {
  const described = ['--allocators', join(PROGRAMS, 'by-pointer.yaml')];
  const linesOf = (trace: string, pattern: RegExp): string[] =>
    dump(trace).flatMap((line) => pattern.exec(line)?.slice(1).join(' ') ?? []);

  it('each call of a described function is noted once, unless it was left by a jump', () => {
    const trace = record(build('by-pointer.c', [level, ...described]));
    expect(linesOf(trace, /^ {2}allocate stamp \d+ part [0-9a-f]+ (\d+) bytes/)).toEqual(
      '24 24 24 16 40 56'.split(' '),
    );
    expect(linesOf(trace, /^ {2}free stamp \d+ (part)/)).toHaveLength(2);
  });

  it('virtual functions are, with their pools and locks; a call that throws hands out nothing', () => {
    const trace = record(build('by-virtual.cc', [level, ...described]));
    const sizes = linesOf(trace, /^ {2}allocate stamp \d+ part [0-9a-f]+ (\d+) bytes (of pool)/);
    expect(sizes).toEqual([...Array.from({ length: 5 }, () => '16 of pool'), '48 of pool']);
    expect(linesOf(trace, /^ {2}(acquire|release) stamp \d+ mutex/)).toEqual(
      Array.from({ length: 5 }, () => ['acquire', 'release']).flat(),
    );
    const types = new Map(report(trace, 'data-profile').rows.map((row) => [row.type, row]));
    expect(types.get('shop::Item')?.references).toEqual({ loads: 1, stores: 12 });
  });
});

describe.each(['-O0', '-O2'])('caches, at %s', (level) => {
  // The users of the caches know no cache's fields: another file does.
  const trace = (): string => {
    const object = join(FOLDER, `caches${level}.o`);
    const flags = ['-c', level, '--allocators', CACHES, join(PROGRAMS, 'caches.c'), '-o', object];
    const { status, stderr } = spawnSync(join(ROOT, 'bin/dprof-cc'), [...TARGET_FLAGS, ...flags], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return record(build('caches-use.c', [level, '--allocators', CACHES, object]));
  };

  it('sizes, names, arrays of addresses and pages behind structs are as the description says', () => {
    const recorded = trace();
    const sizes = dump(recorded).flatMap(
      (line) => /^ {2}allocate stamp \d+ part \w+ (\d+) bytes/.exec(line)?.[1] ?? [],
    );
    expect(sizes.join(' ')).toBe('64 64 16 24 24 24 24 24 24 8192 4096 4096');
    // Four of five by the array, one by its address; a page by its address, two by their struct.
    expect(dump(recorded).filter((line) => /^ {2}free stamp \d+ part/.test(line))).toHaveLength(7);
    for (const engine of ['native', 'ts']) {
      const { rows } = report(recorded, 'data-profile', '--engine', engine);
      const of = (type: string) => rows.find((row) => row.type === type);
      // Two whose shop's name says so; the third is what receives it.
      expect(of('struct udp_sock'), engine).toMatchObject({ liveObjects: 2, references: { loads: 0, stores: 4 } });
      expect(of('struct sock'), engine).toMatchObject({ liveObjects: 1, references: { loads: 0, stores: 1 } });
      expect(of('struct buffer'), engine).toMatchObject({ liveObjects: 6, references: { stores: 6 } });
      const pages = rows.find(({ type }) => String(type).startsWith('heap-8192'));
      expect(pages, engine).toMatchObject({ references: { loads: 0, stores: 128 }, liveObjects: 1 });
    }
  });
});

describe.each(['-O0', '-O2'])('objects that are cleared before they are handed out, at %s', (level) => {
  it('are one life each, with what was cleared, of the type that a name or what receives them tells', () => {
    const recorded = record(build('cleared.c', [level, '--allocators', join(PROGRAMS, 'cleared.yaml')]));
    const sizes = dump(recorded).flatMap(
      (line) => /^ {2}allocate stamp \d+ part \w+ (\d+) bytes/.exec(line)?.[1] ?? [],
    );
    expect(sizes.join(' ')).toBe('64 64 64 64 64 64 512 64');
    for (const engine of ['native', 'ts']) {
      const { rows } = report(recorded, 'data-profile', '--engine', engine);
      const of = (type: string) => rows.find((row) => row.type === type);
      // A memset of one line each; of sockets two stores more.
      expect(of('struct udp_sock'), engine).toMatchObject({ liveObjects: 3, references: { stores: 3 + 2 } });
      // Who receives the others is known later: clearing them counts for what they are by a vote, or for their site.
      expect(of('struct raw_sock'), engine).toMatchObject({ liveObjects: 1, references: { stores: 1 } });
      expect(of('struct sock'), engine).toMatchObject({ liveObjects: 1, references: { stores: 2 + 2 + 1 } });
      expect(of('struct node'), engine).toMatchObject({ liveObjects: 1, references: { stores: 1 } });
      expect(of('heap-64@main'), engine).toMatchObject({ references: { stores: 1 } });
      expect(of('struct owner'), engine).toMatchObject({ liveObjects: 1, references: { stores: 1 } });
      const stack = rows.find(({ type }) => type === 'heap-512@main');
      expect(stack, engine).toMatchObject({ liveObjects: 1, references: { loads: 0, stores: 8 } });
    }
  });
});

describe('a path that the debug information can not follow', () => {
  const SOURCE = `struct inner { int size; const char *name; };
    struct pool { int many; struct inner in; struct inner *to; unsigned few : 3; double half; struct far *far; };
    struct pool shared; void *made;
    void *take(struct pool *pool, int size) { pool->many++; return made; }
    void *use(void) { return take(&shared, 1); }`;
  const compile = (entry: string) => {
    const file = join(FOLDER, 'path.yaml');
    writeFileSync(file, `- function: take\n  ${entry}\n`);
    const { status, stderr } = spawnSync(
      join(ROOT, 'bin/dprof-cc'),
      ['--allocators', file, '-c', '-x', 'c', '-', '-o', '/dev/null'],
      { input: SOURCE, encoding: 'utf8' },
    );
    return { status, errors: stderr.split('\n').filter((line) => line.includes('error:')), file };
  };

  it.each([
    ['size: 0->sise', "struct pool has no field 'sise': there are many, in, to, few, half, far"],
    ['size: 0->many.size', "0->many is int, which has no field 'size'"],
    ['size: 0->to.size', "0->to is struct inner *, which has no field 'size': write '->' behind a pointer"],
    ['size: 0->in->size', "0->in is no pointer: write '.' for a field inside it"],
    ['size: 0->in', '0->in is no integer'],
    ['size: 0->few', '0->few is a bit-field'],
    ['size: 0->half', '0->half is no integer'],
    ['size: 1\n  out: 0->many', '0->many is no pointer'],
    ['size: 1\n  pool: 0->many', '0->many is no pointer'],
    ['size: 1\n  name: 0->to\n  types: {a: struct pool}', '0->to is no string: expected char * or char[]'],
  ])('%s is one error with its line', (entry, expected) => {
    const { status, errors, file } = compile(entry);
    expect(status).toBe(1);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(`dprof: ${file}:${entry.startsWith('size: 1') ? 3 : 2}: ${expected}`);
  });

  it.each([
    'size: 0->in.size',
    'size: 0->to->size',
    'size: 0->far->size',
    'size: 0->many\n  name: 0->in.name\n  types: {a: b}',
  ])('%s is none: it can be followed, or nobody here knows the struct', (entry) => {
    expect(compile(entry)).toMatchObject({ status: 0, errors: [] });
  });
});

it('a described function that returns what another one gave it makes one part', () => {
  const outer = '- {function: "{outer,inner}", size: 0}\n';
  const file = join(FOLDER, 'outer.yaml');
  writeFileSync(file, outer);
  expect(parts(record(build('passed-on.c', ['-O1', '--allocators', file])))).toEqual([
    '24 struct node.one: 1',
    '40 two: 1',
  ]);
});
