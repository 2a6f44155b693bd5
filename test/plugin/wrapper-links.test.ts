// Stage: test of dprof-cc's links. A static program, one optimised at its link and one loaded late are recorded as the
// usual one is.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DPROF_CC, DPROF_CXX, ROOT, WORK } from './recorded-program.js';
import { outputOf, runDprof } from '../cli/command-client.js';
import { CLANG } from './clang.js';

const FOLDER = join(WORK, 'links');

function call(command: string, args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function build(compiler: string, ...commands: string[]): void {
  for (const command of commands)
    expect({ command, ...call(compiler, command.split(' ')) }).toEqual({ command, status: 0, stdout: '', stderr: '' });
}

interface Recorded {
  readonly status: number | null;
  readonly stdout: string;
  readonly references: number;
  /** References by type, the structs of the program only. */
  readonly types: Readonly<Record<string, number>>;
  readonly threads: number;
  /** Accesses by the reason for which they are not recorded as they are. */
  readonly leftOut: Readonly<Record<string, number>>;
}

let recordings = 0;
function recordProfile(...command: string[]): { status: number | null; stdout: string; profile: any } {
  const trace = join(FOLDER, `${recordings++}.dptrace`);
  const { status, stdout } = runDprof(['record', '-o', trace, '--', ...command], {}, FOLDER);
  const view = outputOf(['report', trace, '--view', 'data-profile', '--format', 'json']);
  return { status, stdout, profile: JSON.parse(view) };
}

function record(...command: string[]): Recorded {
  const { status, stdout, profile } = recordProfile(...command);
  const types = profile.rows
    .filter((row: { type: string }) => /^(struct )?(item|node)$/.test(row.type))
    .map((row: { type: string; references: { loads: number; stores: number } }) => [
      row.type,
      row.references.loads + row.references.stores,
    ]);
  return {
    status,
    stdout,
    types: Object.fromEntries(types),
    references: profile.totals.references,
    threads: profile.threads,
    leftOut: profile.refusals,
  };
}

const MAIN = `#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include "item.h"
int total;
static void *work(void *list) { total = sum(list); return list; }
int main(void) {
  struct item *list = 0;
  for (int i = 0; i < 1000; i++) list = grow(list, i);
  pthread_t thread;
  pthread_create(&thread, 0, work, list);
  pthread_join(thread, 0);
  printf("%d\\n", total);
  return 7;
}
`;
const ITEM = `#include <stdlib.h>
#include "item.h"
int sum(struct item *list) { int s = 0; for (; list; list = list->next) s += list->a; return s; }
struct item *grow(struct item *list, int a) { struct item *i = malloc(sizeof *i); i->a = a; i->next = list; return i; }
`;
const NODES = `#include <cstdio>
#include <map>
#include <string>
struct node { int key; std::string text; };
int main() {
  std::map<int, node *> all;
  long n = 0;
  for (int i = 0; i < 100; i++) all[i] = new node{i, std::string(40, 'a')};
  for (auto &[key, value] : all) { n += value->key + value->text.size(); delete value; }
  std::printf("%ld\\n", n);
  try { throw 3; } catch (int status) { return status; }
}
`;

beforeAll(() => {
  mkdirSync(FOLDER);
  writeFileSync(
    join(FOLDER, 'item.h'),
    'struct item { int a, b; struct item *next; };\nint sum(struct item *);\nstruct item *grow(struct item *, int);\n',
  );
  writeFileSync(join(FOLDER, 'main.c'), MAIN);
  writeFileSync(join(FOLDER, 'item.c'), ITEM);
  writeFileSync(join(FOLDER, 'nodes.cc'), NODES);
});

describe('a static program', () => {
  let sharedC: Recorded;
  let sharedCxx: Recorded;
  beforeAll(() => {
    build(DPROF_CC, '-O2 -c main.c item.c', '-pthread main.o item.o -o shared');
    // Clang 19 and newer do so unasked: a string's memory is freed with its size, which is read.
    build(DPROF_CXX, '-O1 -fsized-deallocation -c nodes.cc', 'nodes.o -o nodes');
    sharedC = record('./shared');
    sharedCxx = record('./nodes');
  });

  test.each([['-static'], ['-static-pie']])('in C, %s: the references, types and threads of the shared one', (flag) => {
    build(DPROF_CC, `-pthread ${flag} main.o item.o -o c${flag}`);
    expect(sharedC).toEqual({
      status: 7,
      stdout: '499500\n',
      references: 4003,
      types: { 'struct item': 4000 },
      threads: 2,
      leftOut: {},
    });
    expect(record(`./c${flag}`)).toEqual(sharedC);
    expect(call(`./c${flag}`, [])).toEqual({ status: 7, stdout: '499500\n', stderr: '' });
  });

  test.each([['-static'], ['-static-pie'], ['-static-libstdc++']])(
    'in C++, %s: with its operators new and delete',
    (flag) => {
      build(DPROF_CXX, `${flag} nodes.o -o nodes${flag}`);
      expect(sharedCxx).toMatchObject({ status: 3, stdout: '8950\n', types: { node: 600 } });
      expect(record(`./nodes${flag}`)).toEqual(sharedCxx);
    },
  );
});

const PLACED = `#include <stdio.h>
#include <stdlib.h>
struct item { int number; };
struct item placed[100];
int main(void) {
  struct item *made = malloc(sizeof *made);
  for (int i = 0; i < 100; i++) placed[i].number = i ^ placed[i / 2].number;
  made->number = placed[99].number;
  printf("%lx %lx\\n", (long)placed, (long)made);
}`;

describe.each([['-static'], ['-static-pie'], ['-static-pie -fuse-ld=lld']])('a program of %s', (flags) => {
  // Its globals, its heap, and the blocks of its code that ran.
  function placed(...options: string[]): { printed: string; global: string; heap: string; blocks: unknown[] } {
    const { stdout } = runDprof(['record', ...options, '-o', 'text:placed.txt', '--', './placed'], {}, FOLDER);
    const lines = readFileSync(join(FOLDER, 'placed.txt'), 'utf8').split('\n');
    const stored = (variable: string) =>
      lines.find((line) => line.includes(' store ') && line.includes(variable))!.split(' ')[2]!;
    const sites = lines.find((line) => / allocate .*placed\.c/.test(line));
    runDprof(['record', ...options, '-o', 'placed.dptrace', '--', './placed'], {}, FOLDER);
    const view = outputOf(['report', join(FOLDER, 'placed.dptrace'), '--view', 'blocks', '--format', 'json']);
    const { rows } = JSON.parse(view) as { rows: { function: string; executions: number }[] };
    const blocks = rows.map(({ function: name, executions }) => [name, executions]);
    return { printed: stdout.trimEnd(), global: stored('placed.c:7'), heap: sites!.split(' ')[2]!, blocks };
  }

  test('its data and its code are where it was loaded', () => {
    writeFileSync(join(FOLDER, 'placed.c'), PLACED);
    build(DPROF_CC, `-O1 -g -fdprof-blocks ${flags} placed.c -o placed`);
    const [fixed, again, moved] = [placed(), placed(), placed('--aslr')];
    for (const { printed, global, heap } of [fixed, again, moved]) expect(`${global} ${heap}`).toBe(printed);
    expect(again).toEqual(fixed);
    expect(moved.heap).not.toBe(fixed.heap);
    if (flags.includes('pie')) expect(moved.global).not.toBe(fixed.global);
    expect(fixed.blocks).toContainEqual(['main', 100]);
    expect(moved.blocks).toEqual(fixed.blocks);
  });
});

// Constants of 16 and 32 bytes and strings, which linkers put into one place with those of other files.
const MERGED = `static const double halves[4] = {0.5, 1, 1.5, 2};
static const int steps[4] = {4, 3, 2, 1};
static const char word[] = "merged";
int FUNCTION(int i) { return halves[i & 3] * 2 + steps[i & 3] + word[i % 6]; }`;

describe('constants that are merged', () => {
  test.each([
    ['-fuse-ld=lld'],
    ['-fuse-ld=lld -ffunction-sections -Wl,--gc-sections'],
    ['-fuse-ld=lld -mcmodel=large -fno-pic -no-pie'],
    ['-fuse-ld=lld -flto'],
    ['-fuse-ld=lld -flto=thin'],
    ['-fuse-ld=bfd'],
    ['-fuse-ld=gold'],
  ])('%s: they are the objects of their accesses', (flags) => {
    for (const file of ['one', 'other']) writeFileSync(join(FOLDER, `${file}.c`), MERGED.replace('FUNCTION', file));
    const main = 'int one(int), other(int); int main(int argc, char **v) { return one(argc) + other(argc); }\n';
    writeFileSync(join(FOLDER, 'ends.c'), main);
    build(DPROF_CC, `-O2 -g ${flags} -Wno-unused-command-line-argument ends.c one.c other.c -o merged`);
    const { status, profile } = recordProfile('./merged');
    expect(status).toBe((2 + 3 + 'merged'.charCodeAt(1)) * 2);
    const { rules, of } = profile.typing.references;
    expect(rules.object).toBe(of);
    expect(profile.rows.map(({ type }: { type: string }) => type).sort()).toEqual(['char[]', 'double[]', 'int[]']);
  });

  test('ld.lld -r takes them', () => {
    build(DPROF_CC, '-O2 -g -c one.c -o one.o', '-O2 -g -mcmodel=large -c other.c -o other.o');
    expect(call('ld.lld-19', ['-r', 'one.o', 'other.o', '-o', 'both.o'])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
  });
});

describe('link-time optimisation', () => {
  const objects = (flags: string) => [`${flags} -c main.c`, `${flags} -c item.c`];

  test.each([
    ['-O2 -flto', '-flto', 4000],
    ['-O2 -flto=thin', '-flto=thin', 4000],
    ['-O2 -flto', '-flto -static', 4000],
    ['-O2 -flto=thin', '-O0 -flto=thin', 4000],
    ['-O2 -flto', '-flto -fuse-ld=lld', 4000],
    ['-O2 -flto', '-fuse-ld=lld', 4000],
  ])('%s, linked with %s: instrumented once, at the link', (compile, link, ofItem) => {
    build(DPROF_CC, ...objects(`${compile} -pthread`), `${link} -pthread main.o item.o -o lto`);
    expect(record('./lto')).toMatchObject({
      status: 7,
      stdout: '499500\n',
      types: { 'struct item': ofItem },
      threads: 2,
      leftOut: {},
    });
  });

  test.each([
    ['bfd', '-flto'],
    ['gold', '-flto'],
    ['gold', '-flto=thin'],
  ])('under %s, %s: instrumented before it, and the report says so', (linker, flag) => {
    const flags = `-O2 ${flag} -fuse-ld=${linker} -pthread`;
    build(DPROF_CC, ...objects(`${flags} -Wno-unused-command-line-argument`), `${flags} main.o item.o -o before`);
    expect(record('./before')).toMatchObject({
      status: 7,
      types: { 'struct item': 4000 },
      threads: 2,
      leftOut: { 'recorded, but as before link-time optimisation': 7 },
    });
  });

  test('objects that were left for lld fail to link without the plugin', () => {
    build(DPROF_CC, ...objects('-O2 -flto'));
    const { status, stderr } = call(CLANG, '-flto -fuse-ld=gold -pthread main.o item.o -o none'.split(' '));
    expect(status).toBe(1);
    expect(stderr).toContain('__dprof_lto_needs_lld_or_fuse_ld_when_compiling');
  });

  test('what is compiled again from its own bitcode is instrumented once', () => {
    build(
      DPROF_CC,
      '-O2 -emit-llvm -c item.c -o item.bc',
      '-O2 -S -emit-llvm main.c -o main.ll',
      '-O2 -pthread main.ll item.bc -o again',
    );
    expect(record('./again')).toMatchObject({ status: 7, references: 4003, types: { 'struct item': 4000 } });
  });

  test('objects that were instrumented already do not link with ones that were left for lld', () => {
    build(DPROF_CC, '-O2 -flto -c item.c', '-O2 -emit-llvm -c main.c -o main.o');
    const { status, stderr } = call(DPROF_CC, '-O2 -pthread -flto main.o item.o -o mixed'.split(' '));
    expect(status).toBe(1);
    expect(stderr).toContain('__dprof_lto_needs_lld_or_fuse_ld_when_compiling');
  });
});

describe('what is loaded late', () => {
  test('a library of an instrumented program, by dlopen, twice', () => {
    writeFileSync(
      join(FOLDER, 'load.c'),
      `#include <dlfcn.h>
#include "item.h"
int main(void) {
  int status = 0;
  for (int i = 0; i < 2; i++) {
    void *library = dlopen("./libitem.so", RTLD_NOW);
    struct item *(*grow)(struct item *, int) = (struct item * (*)(struct item *, int)) dlsym(library, "grow");
    status += grow(grow(0, 3), 4)->next->a;
    dlclose(library);
  }
  return status;
}
`,
    );
    build(DPROF_CC, '-O2 -fPIC -shared item.c -o libitem.so', '-O2 load.c -o load');
    expect(record('./load')).toMatchObject({ status: 6, types: { 'struct item': 12 } });
  });

  test('a native module of Node', () => {
    writeFileSync(
      join(FOLDER, 'addon.cc'),
      `#include <node_api.h>
struct item { int a, b; item *next; };
static napi_value sum(napi_env env, napi_callback_info) {
  item *list = nullptr;
  for (int i = 0; i < 1000; i++) list = new item{i, 0, list};
  int total = 0;
  while (list) { item *next = list->next; total += list->a; delete list; list = next; }
  napi_value result;
  napi_create_int32(env, total, &result);
  return result;
}
NAPI_MODULE_INIT() {
  napi_value function;
  napi_create_function(env, "sum", NAPI_AUTO_LENGTH, sum, nullptr, &function);
  return function;
}
`,
    );
    writeFileSync(
      join(FOLDER, 'script.cjs'),
      "const sum = require('./addon.node');\nconsole.log(sum() + sum());\nprocess.exitCode = 5;\n",
    );
    build(DPROF_CXX, `-O1 -fPIC -shared -I${ROOT}/node_modules/node-api-headers/include addon.cc -o addon.node`);
    expect(call(process.execPath, ['script.cjs'])).toEqual({ status: 5, stdout: '999000\n', stderr: '' });
    expect(record(process.execPath, 'script.cjs')).toMatchObject({
      status: 5,
      stdout: '999000\n',
      types: { item: 10000 },
    });
  });
});
