// Programs whose C library records (dprof-cc --libc=musl, docs/musl.md). What they do is what they do with Debian's
// musl; each load and store of qsort, malloc and printf is counted as clang's own SanitizerCoverage counts it; Lua,
// SQLite and zstd run their checks. The musl is built once, in build/musl.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectEnginesAgree, expectTotals, replay } from './findings.js';
import { DPROF, realFolder, ROOT, run } from './real-program.js';
import { sqliteWorkload } from './sqlite-workload.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const HERE = resolve(ROOT, 'test/real/musl');
const MUSL_CC = join(HERE, 'musl-cc.sh');
const PLAIN_CC = join(HERE, 'plain-cc.sh');
const folder = makeTemporaryFolder('musl');
const script = (name: string): string => resolve(ROOT, 'test/real', name);

beforeAll(() => {
  process.env.DPROF_MUSL ??= resolve(ROOT, 'build/musl');
  run(['sh', script('need-packages.sh'), 'musl-dev', 'make', 'binutils', 'llvm-19', 'xz-utils', 'python3']);
  run(['sh', resolve(ROOT, 'scripts/fetch-debian-source.sh'), 'musl', realFolder('musl')]);
});

interface Line {
  readonly line: string | null;
  readonly references: { readonly loads: number; readonly stores: number };
}

interface Report {
  readonly ended: string;
  readonly threads: number;
  readonly lostSegments: number;
  readonly refusals: unknown;
  readonly unseenBytes: number;
  readonly typing: { readonly references: { readonly of: number; readonly rules: { readonly untyped: number } } };
  readonly rows: readonly Line[];
}

function report(trace: string, ...view: readonly string[]): Report {
  return JSON.parse(run([DPROF, 'report', trace, '--no-cache', '--format', 'json', ...view]));
}

/** Status and output, and nothing else, of a command of which `sh -c` is told. */
const outcome = (command: string): string => run(['sh', '-c', `cd ${folder}; { ${command}; } 2>&1; echo "status $?"`]);

function recorded(trace: string, command: string): string {
  return outcome(`${DPROF} record --quiet -o ${trace} -- ${command} 2>${trace}.said`);
}

/** Nothing is unseen but what the kernel wrote. */
function expectAllSeen(trace: string): Report {
  const seen = report(trace);
  expect(seen.lostSegments).toBe(0);
  expect(report(trace, '--kernel-stores').unseenBytes).toBe(0);
  expect(seen.refusals).toEqual({});
  return seen;
}

/** Hardly anything is without a type. */
function expectTyped({ typing: { references } }: Report): void {
  expect(references.rules.untyped).toBeLessThan(references.of / 10_000);
}

test('threads, cancellation, signals, jumps, processes, stdio: the same as with a musl that nobody recorded', () => {
  run([PLAIN_CC, '-O2', '-w', join(HERE, 'everything.c'), '-o', join(folder, 'plain')]);
  for (const flags of [['-O2'], ['-O0'], ['-O2', '-static-pie']]) {
    run([MUSL_CC, ...flags, '-g', '-w', join(HERE, 'everything.c'), '-lm', '-o', join(folder, 'everything')]);
    const without = outcome('./plain');
    expect(without).toContain('1998000 34 7');
    expect(without).toContain('status 9');
    expect(outcome('./everything'), `${flags}, not recorded`).toBe(without);
    expect(recorded('everything.dptrace', './everything'), `${flags}, recorded`).toBe(without);
    const trace = join(folder, 'everything.dptrace');
    const seen = expectAllSeen(trace);
    expect(seen).toMatchObject({ ended: 'exited with status 9', threads: 9 });
    expectTyped(seen);
    expect(run([DPROF, 'dump', '--check-order', trace])).toContain('recorded happens-before is kept');
    expectTotals(replay(trace, join(folder, 'everything.dprofile')));
    expectEnginesAgree(trace, folder, '1M');
  }
});

/** Block operations, which clang's counters pass over: calls, copies of structs and initialisers. */
const BLOCKS = /mem(cpy|set|chr|move)|strn?len|va_(arg|copy|start)|\(struct|= *\{/;

const COUNTED = [
  'stdlib/qsort.c',
  'stdio/vfprintf.c',
  ...['malloc.c', 'free.c', 'realloc.c', 'meta.h'].map((name) => `malloc/mallocng/${name}`),
];

/** Per file and kind, of lines that have no block operation; what has no line is not asked for. */
function sums(counts: Iterable<readonly [file: string, line: number, loads: number, stores: number]>) {
  const all = new Map<string, number>();
  const texts = new Map(
    [join(HERE, 'counted.c'), ...COUNTED.map((path) => join(realFolder('musl'), 'source/src', path))].map((path) => [
      basename(path),
      readFileSync(path, 'utf8').split('\n'),
    ]),
  );
  const add = (key: string, count: number): unknown => all.set(key, (all.get(key) ?? 0) + count);
  for (const [path, line, loads, stores] of counts) {
    const file = basename(path);
    const text = texts.get(file);
    if (text === undefined || (line > 0 && BLOCKS.test(text[line - 1]))) continue;
    add(`${file} loads`, loads);
    add(`${file} stores`, stores);
  }
  return all;
}

test('qsort, malloc and printf are counted as by an instrumentation that is not ours', () => {
  const program = join(HERE, 'counted.c');
  run(['sh', join(HERE, 'count-by-clang.sh'), join(realFolder('musl'), 'source'), program, join(folder, 'clang')]);
  run([MUSL_CC, '-O2', '-g', program, '-o', join(folder, 'counted')]);
  expect(recorded('counted.dptrace', './counted')).toContain('147582 compared, sum 8672088432422\n');
  const { rows } = report(
    join(folder, 'counted.dptrace'),
    '--innermost',
    ...['--view', 'miss-classification', '--by', 'line'],
  );
  const theirs = sums(
    readFileSync(join(folder, 'clang/counts'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((row) => {
        const [, path, line, loads, stores] = /^(\S+):(\d+)\b.* (\d+) (\d+)$/.exec(row)!;
        return [path, Number(line), Number(loads), Number(stores)] as const;
      }),
  );
  const ours = sums(
    rows.flatMap(({ line, references: { loads, stores } }) => {
      const [, path, number] = /^(.*):(\d+)$/.exec(line ?? '') ?? [];
      return path === undefined ? [] : [[path, Number(number), loads, stores] as const];
    }),
  );
  // The program's own and the sort's, exactly. The loads of one place in qsort have no line in ours, line 0 in theirs.
  expect(ours.get('counted.c loads')).toBe(theirs.get('counted.c loads'));
  expect(ours.get('counted.c stores')).toBe(theirs.get('counted.c stores'));
  expect(ours.get('counted.c loads')).toBeGreaterThan(2 * 147_582);
  expect(ours.get('qsort.c stores')).toBe(theirs.get('qsort.c stores'));
  // The allocator's depend on where its memory begins in a page; of printf's, clang gives some no line.
  const near = (file: string, tolerance: number): void => {
    for (const kind of ['loads', 'stores']) {
      const [a, b] = [ours.get(`${file} ${kind}`) ?? 0, theirs.get(`${file} ${kind}`) ?? 0];
      expect(Math.abs(a - b), `${file} ${kind}: ${a} ours, ${b} clang's`).toBeLessThanOrEqual(b * tolerance);
    }
  };
  near('free.c', 0.002);
  near('realloc.c', 0.002);
  near('qsort.c', 0.05);
  near('meta.h', 0.12);
  near('malloc.c', 0.05);
  near('vfprintf.c', 0.1);
});

describe('real programs', () => {
  test('Lua runs its own tests', () => {
    const lua = join(folder, 'lua');
    run(['sh', script('fetch-lua.sh'), realFolder('lua')]);
    const make = (compiler: string, program: string): unknown =>
      run([
        'sh',
        '-c',
        `rm -rf ${lua} && cp -r ${realFolder('lua')}/source ${lua} && cd ${lua} && make -j2 CC=${compiler} TESTS= ` +
          `MYCFLAGS='-std=c99 -DLUA_USE_POSIX' MYLIBS= lua >make.log 2>&1 && cp lua ${folder}/${program}`,
      ]);
    make(PLAIN_CC, 'lua-plain');
    make(MUSL_CC, 'lua-seen');
    const tests =
      'strings math sort calls closure gc nextvar vararg events pm tpack utf8 constructs coroutine goto bitwise ' +
      'locals errors db api code';
    const each = (program: string): string =>
      outcome(
        `cd lua/testes; for t in ${tests}; do ${program} -e '_port=true _soft=true _U=true' $t.lua >/dev/null 2>&1; ` +
          'echo $t $?; done',
      );
    const without = each('../../lua-plain');
    expect(without.match(/ 0$/gm)?.length).toBeGreaterThan(15);
    expect(each('../../lua-seen')).toBe(without);
    const trace = join(folder, 'lua.dptrace');
    expect(each(`${DPROF} record --quiet -o ${trace} -- ../../lua-seen`)).toBe(without);
    expectTyped(expectAllSeen(trace));
  });

  test('SQLite answers a workload', () => {
    writeFileSync(join(folder, 'workload.sql'), sqliteWorkload(2000));
    run(['sh', script('build-sqlite.sh'), PLAIN_CC, join(folder, 'sqlite-plain')]);
    run(['sh', script('build-sqlite.sh'), MUSL_CC, join(folder, 'sqlite-seen'), '-g']);
    const without = outcome('./sqlite-plain :memory: <workload.sql');
    expect(outcome('./sqlite-seen :memory: <workload.sql')).toBe(without);
    expect(recorded('sqlite.dptrace', './sqlite-seen :memory: <workload.sql')).toBe(without);
    const seen = expectAllSeen(join(folder, 'sqlite.dptrace'));
    expectTyped(seen);
    const { rows } = seen;
    expect(JSON.stringify(rows)).toContain('struct malloc_context'); // the allocator's own data
    expectEnginesAgree(join(folder, 'sqlite.dptrace'), folder, '1M');
  });

  test('zstd passes its tests of its thread pool, and its fuzzer', () => {
    run(['sh', resolve(ROOT, 'scripts/fetch-debian-source.sh'), 'libzstd', realFolder('libzstd')]);
    run([
      'sh',
      '-c',
      `rm -rf ${folder}/zstd && cp -r ${realFolder('libzstd')}/source ${folder}/zstd && cd ${folder}/zstd/tests && ` +
        `make -j2 CC=${MUSL_CC} CXX=false DEBUGLEVEL=0 ZSTD_NO_ASM=1 poolTests fuzzer >make.log 2>&1`,
    ]);
    expect(outcome('zstd/tests/fuzzer -s7 -i20 --no-big-tests')).toContain('status 0');
    expect(recorded('zstd.dptrace', 'zstd/tests/poolTests')).toContain('PASS: all POOL tests');
    const trace = join(folder, 'zstd.dptrace');
    expect(expectAllSeen(trace).threads).toBeGreaterThan(4);
    // What has no type is what has no name: structs that musl makes of initialisers, and copies.
    const { rows } = report(trace, '--view', 'miss-classification', '--by', 'line', '--type', '(untyped)');
    const lines = rows.map(({ line, references: { loads, stores } }) => [line?.split('/').at(-1), loads - stores]);
    expect(lines.sort()).toEqual([
      ['malloc.c:50', 1],
      ['pthread_cond_init.c:5', 0],
      ['pthread_mutex_init.c:5', 0],
    ]);
  });
});
