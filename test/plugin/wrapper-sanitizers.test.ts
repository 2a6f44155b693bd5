// Stage: test of dprof-cc with sanitizers that only add checks. They say what they say in clang's own build, and the
// program's types have the references that they have without.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CLANG, CLANGXX } from './clang.js';
import { DPROF_CC, DPROF_CXX, ROOT, WORK } from './recorded-program.js';
import { outputOf } from '../cli/command-client.js';

const FOLDER = join(WORK, 'sanitizers');

const LIST = `#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static void *add_up(void *list) {
  long sum = 0;
  for (struct node *at = list; at; at = at->next) sum += at->value;
  return (void *)sum;
}
int main(int count, char **words) {
  struct node *list = NULL;
  for (int i = 0; i < 100; i++) {
    struct node *made = malloc(sizeof *made);
    *made = (struct node){i, list};
    list = made;
  }
  pthread_t thread;
  void *sum;
  pthread_create(&thread, NULL, add_up, list);
  pthread_join(thread, &sum);
  int most = INT_MAX;
  printf("%ld %d\\n", (long)sum, most + count);
  return 0;
}
`;

const CLASSES = `#include <cstdio>
#include <vector>
struct shape { virtual ~shape() {} virtual int area() const { return 1; } int side = 2; };
struct square : shape { int area() const override { return side * side + more; } int more = 3; };
int main(int count, char **) {
  std::vector<shape *> all;
  for (int i = 0; i < 50; i++) all.push_back(i % 2 ? new square : new shape);
  int sum = 0;
  for (const shape *one : all) sum += one->area();
  for (const shape *one : all) delete one;
  std::printf("%d %d\\n", sum, 1 << (31 + count));
}
`;

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'list.c'), LIST);
  writeFileSync(join(FOLDER, 'classes.cc'), CLASSES);
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
function run(command: string, ...args: string[]): Ended {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: FOLDER, encoding: 'utf8' });
  // Runtimes print addresses of code.
  return { status, stdout, stderr: stderr.replaceAll(/0x[0-9a-f]+/g, 'ADDRESS') };
}

function build(compiler: string, source: string, flags: readonly string[]): string {
  expect(run(compiler, '-g', '-w', ...flags, '-pthread', source, '-o', 'program')).toMatchObject({ status: 0 });
  return './program';
}

/** Of the recorded program: how it ended, and the references of its structs. */
function record(program: string): { ended: Ended; types: unknown[] } {
  const ended = run(join(ROOT, 'bin/dprof'), 'record', '--quiet', '-o', 'program.dptrace', '--', program);
  const view = outputOf(['report', join(FOLDER, 'program.dptrace'), '--view', 'data-profile', '--format', 'json']);
  const { rows } = JSON.parse(view) as { rows: { type: string; references: unknown; residency: unknown }[] };
  return {
    ended,
    types: rows
      .filter(({ type }) => /^(struct )?(node|shape|square)$/.test(type))
      .map(({ type, references }) => [type, references])
      .toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
  };
}

describe.each([
  ['list.c', DPROF_CC, CLANG, ['struct node']],
  ['classes.cc', DPROF_CXX, CLANGXX, ['shape', 'square']],
])('%s', (source, wrapper, clang, structs) => {
  test.each([
    ['-O0', '-fsanitize=undefined -fno-sanitize=vptr', true],
    ['-O1', '-fsanitize=undefined -fsanitize-minimal-runtime -fno-sanitize=vptr,function', true],
    ['-O0', '-fsanitize=integer,nullability,bounds', true],
    ['-O1', '-fsanitize=undefined', false], // checks of a virtual call load its table too
    ['-O1', '-fsanitize=cfi -flto -fuse-ld=lld -fvisibility=hidden', true],
    ['-O1', '-fsanitize=kcfi', true],
  ])('%s %s', (level, sanitizer, isEqual) => {
    const checked = [level, ...sanitizer.split(' ')];
    const plain = run(build(clang, source, checked));
    const program = build(wrapper, source, checked);
    const dormant = run(program);
    const recorded = record(program);
    const unchecked = record(build(wrapper, source, [level]));
    expect(dormant).toEqual(plain);
    expect(recorded.ended).toEqual(plain);
    if (sanitizer.includes('undefined')) expect(plain.stderr).toMatch(/overflow|shift/);
    expect(unchecked.types.map((row) => (row as unknown[])[0])).toEqual(structs);
    if (isEqual) expect(recorded.types).toEqual(unchecked.types);
    else expect(recorded.types.map((row) => (row as unknown[])[0])).toEqual(structs);
  });

  test('-fsanitize=undefined that ends the program: its trace has all up to there', () => {
    const checked = ['-O1', '-fsanitize=undefined', '-fno-sanitize-recover=all', '-fno-sanitize=vptr,function'];
    const program = build(wrapper, source, checked);
    const plain = run(program);
    const recorded = record(program);
    expect(plain.status).toBe(1);
    expect(recorded.ended).toEqual(plain);
    expect(recorded.types).toEqual(record(build(wrapper, source, ['-O1'])).types);
  });
});
