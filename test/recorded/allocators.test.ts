// Stage: test. Memory that a program's own allocators hand out is objects of its own, at every level of optimisation.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build, dump, FOLDER, PROGRAMS, record, report, ROOT } from './recorded.js';

const YAML = join(PROGRAMS, 'pools.yaml');

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
