// Programs that say what is sampled, at addresses that they know: types, offsets and counts must be exactly those; and
// they must behave as they do alone.

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build, folder, lineOf, sample } from './typed-programs.js';

const KINDS = [
  'object struct point 8 weight', // malloc
  'object struct point 4 y', // an element of calloc's
  'object struct point 8 weight', // of realloc's
  'object struct packet 12 at.y',
  'object struct packet 74 -', // in the array that it ends in
  'object struct point 4 y', // from a wrapper
  'site heap-77@make_text 30 -',
  'variable struct point 4 y',
  'variable struct point 8 weight', // an element
  'variable int 0 -',
  'variable int[] 0 -',
  'variable struct point 8 weight', // thread-local
  'variable struct point 4 y', // static in a function
  'untyped',
  'untyped',
  'untyped',
  'untyped',
];
const KINDS_UNTYPED = { code: 1, freed: 1, 'no-address': 1, stack: 1 };

describe('each kind of memory', () => {
  test.each([
    ['gcc', '-g'],
    ['clang', '-g'],
    ['clang', '-gdwarf-4'],
    ['dprof-cc', '-g'],
    ['gcc', '-g', '-no-pie'],
    ['gcc', '-g', '-O0'],
    ['clang', '-g', '-O2'],
  ] as const)('%s %s %s', (compiler, ...flags) => {
    const { status, stderr, samples, typed } = sample([], build('kinds.c', compiler, ...flags));
    expect([status, stderr]).toEqual([0, '']);
    expect(samples).toEqual(KINDS);
    expect(typed.untyped).toEqual(KINDS_UNTYPED);
    expect(typed.modules.map(({ isInstrumented, isKernel }) => [isInstrumented, isKernel])).toEqual([
      [compiler === 'dprof-cc', false],
    ]);
    const lines = new Set(Array.from(typed.rows.place, (place) => typed.places[place].line));
    expect(lines.has(lineOf('kinds.c', 'SAY(&packet->at.y)'))).toBe(true);
  });

  test('lives are counted, all of them', () => {
    const { typed } = sample([], build('kinds.c', 'gcc', '-g'));
    const counts = typed.types.flatMap(({ name, lives }) =>
      lives === null || name.includes('@_IO_')
        ? []
        : [[name, lives.allocations, lives.frees, lives.peakObjects, lives.peakBytes, lives.sampledObjects]],
    );
    expect(counts).toEqual([
      ['struct point', 4, 4, 3, 352, 4],
      ['struct packet', 1, 1, 1, 124, 1],
      ['heap-77@make_text', 1, 1, 1, 77, 1],
    ]);
    expect(Array.from(typed.objects.samples).sort()).toEqual([1, 1, 1, 1, 1, 2]);
    expect(typed.places[typed.objects.freedAt[0]].function).toBe('main');
  });

  test('without debug information: by size and function, as far as there are symbols', () => {
    const program = build('kinds.c', 'gcc');
    const { samples, typed } = sample([], program);
    expect(samples.slice(0, 5)).toEqual([
      'site heap-16@main 8 -',
      'site heap-160@main 116 -',
      'site heap-320@main 312 -',
      'site heap-124@main 12 -',
      'site heap-124@main 74 -',
    ]);
    expect(samples[6]).toBe('site heap-77@make_text 30 -');
    expect(typed.untyped['unknown-variable']).toBe(6);
    const stripped = join(folder, 'stripped');
    copyFileSync(program, stripped);
    execFileSync('strip', [stripped]);
    expect(sample([], stripped).samples.slice(0, 2)).toEqual([
      'site heap-16@(unknown) 8 -',
      'site heap-160@(unknown) 116 -',
    ]);
  });
});

test.each(['gcc', 'clang', 'dprof-cc'] as const)(
  'operator new, free by another thread, thread-locals of each thread: %s',
  (compiler) => {
    const { status, stderr, samples, typed } = sample([], build('classes.cpp', compiler, '-g'));
    expect([status, stderr]).toEqual([0, '']);
    expect(samples).toEqual([
      'object shapes::Circle 8 colour',
      'object shapes::Circle 8 colour',
      'object shapes::Wide 200 last',
      'variable shapes::Circle 8 colour',
      'variable shapes::Circle 8 colour',
      'variable shapes::Circle 8 colour',
      'object shapes::Circle 0 radius',
      'object shapes::Circle 0 radius',
      'object shapes::Circle 8 colour',
    ]);
    const circle = typed.types.find(({ name, rule }) => name === 'shapes::Circle' && rule === 'object')!;
    expect(circle.lives).toMatchObject({
      allocations: 4,
      frees: 4,
      sampledObjects: 4,
      bouncedObjects: 1,
      writeSharedObjects: 1,
    });
    expect(typed.threads).toBe(2);
    expect(typed.notes).toMatchObject({ overlaps: 0, unknownFrees: 0 }); // each of them is seen once
    expect(typed.types.filter(({ name }) => name.includes('operator new') || name.includes('_Znwm'))).toEqual([]);
  },
);

test.each(['gcc', 'dprof-cc'] as const)(
  'what ends an object, and what does not; the program behaves as without us: %s',
  (compiler) => {
    const program = build('ends.c', compiler, '-g');
    const alone = spawnSync(program, { encoding: 'utf8', env: { ...process.env, DPROF_PROBE: '/dev/null' } });
    const { status, stdout, stderr, samples, typed } = sample([], program);
    expect([status, stdout, stderr]).toEqual([alone.status, alone.stdout, alone.stderr]);
    expect([status, stdout]).toEqual([7, '1\n']);
    expect(samples).toEqual([
      'object struct first 8 b',
      'object struct second 15 text[]',
      'object struct second 3 text[]',
      'untyped', // the child's
      'object struct second 5 text[]',
      'site heap-12288@main 5000 -',
      'untyped',
      'site heap-12288@main 904 -',
      'untyped',
      'object struct third 8 rest', // of the program in its place, where the first one had others
    ]);
    expect(typed.untyped).toEqual({ 'other-process': 1, 'unknown-memory': 2 });
    expect(typed.notes).toMatchObject({ forks: 1, tornEvents: 0, sitesRefused: 0 });
  },
);

test.each(
  (['gcc', 'clang'] as const).flatMap((compiler) => ['-O0', '-O1', '-O2'].map((level) => [compiler, level] as const)),
)('a class is neither its first base nor the class whose constructor allocates it: %s %s', (compiler, level) => {
  const { status, stderr, samples, typed } = sample([], build('bases.cpp', compiler, '-g', level));
  expect([status, stderr]).toEqual([0, '']);
  expect(samples.map((each) => each.replaceAll('(anonymous namespace)::', ''))).toEqual([
    'object Derived 24 second', // behind its base, which comes first
    expect.stringMatching(
      /^object std::_Sp_counted_ptr_inplace<Part, std::allocator<void>, \(__gnu_cxx::_Lock_policy\)2> 24 _M_impl\./,
    ),
    'object Whole 8 memory',
    'site heap-16@Whole::Whole 8 -',
  ]);
  expect(typed.untyped).toEqual({});
});

// For each item: the item itself, then what stands before it.
const HEADERS = [
  'object struct item 8 value',
  'untyped',
  'untyped',
  'untyped', // the last: freed
  'object struct item 8 value',
  'object struct item 0 id',
  'untyped', // an element
  'object struct item 0 id',
  'untyped',
  'untyped', // eight bytes and a header before it
  'object struct item 8 value',
  'untyped', // behind realloc
];

test.each(
  (['gcc', 'clang'] as const).flatMap((compiler) => ['-O0', '-O1', '-O2'].map((level) => [compiler, level] as const)),
)('allocators with headers: the item is where they put it: %s %s', (compiler, level) => {
  const { status, stderr, samples, typed } = sample([], build('headers.c', compiler, '-g', level));
  expect([status, stderr]).toEqual([0, '']);
  expect(samples.slice(0, -1)).toEqual(HEADERS);
  expect(samples.at(-1)).toMatch(/^site heap-88@\w+ \d+ -$/); // nobody knows where in it
  expect(typed.untyped).toEqual({ 'allocator-header': 6, freed: 1 });
  const item = typed.types.find(({ name, rule }) => name === 'struct item' && rule === 'object')!;
  // One, three, one with its count, one of 1 and what it grew to.
  expect(item.lives).toMatchObject({
    allocations: 5,
    frees: 5,
    peakObjects: 1,
    peakBytes: 16 + 16_000,
    sampledObjects: 4,
  });
  expect(typed.types.filter(({ name }) => name === 'struct header')).toEqual([]);
  expect(typed.notes).toMatchObject({ overlaps: 0, unknownFrees: 0 });
});

test('a module that comes and goes; a mapped file that is no program is no module', () => {
  const part = build('part.c', 'gcc', '-g', '-shared', '-fPIC');
  const { status, samples, typed } = sample([], build('loads.c', 'gcc', '-g', '-ldl'), part);
  expect(status).toBe(0);
  expect(samples).toEqual([
    'object struct loaded 4 b',
    'variable struct loaded 4 b',
    'untyped', // the mapped file's
    'object struct loaded 0 a',
  ]);
  expect(typed.untyped).toEqual({ 'unknown-memory': 1 });
});

test('drawn objects: as many as are wished for, each with the same chance, the same for one seed', () => {
  const program = build('many.c', 'gcc', '-g');
  const drawn = (seed: number): string[] => {
    const { typed } = sample(['--most-objects', '100', '--seed', String(seed)], program);
    const node = typed.types.findIndex(({ name }) => name === 'struct node');
    expect(typed.types[node].lives).toMatchObject({
      allocations: 100_000,
      frees: 99_000,
      peakObjects: 1000,
      peakBytes: 32_000,
    });
    expect(typed.notes).toMatchObject({ overlaps: 0, unknownFrees: 0, tornEvents: 0 });
    const rows = [...typed.objects.type.keys()].filter((row) => typed.objects.type[row] === node);
    expect(rows).toHaveLength(100);
    return rows.map((row) => String(typed.objects.address[row]));
  };
  expect(drawn(1)).toEqual(drawn(1));
  expect(drawn(1)).not.toEqual(drawn(2));
});

test('a hundred threads that free what others allocate: nothing is lost, and no object is taken for another', () => {
  const { status, stderr, samples, typed } = sample([], build('crowd.c', 'gcc', '-g'));
  expect([status, stderr]).toEqual([0, '']);
  expect(samples).toEqual(Array(100).fill('object struct token 8 number'));
  expect(typed.types.find(({ name }) => name === 'struct token')?.lives).toMatchObject({
    allocations: 100_000,
    frees: 100_000,
    sampledObjects: 100,
  });
  expect(typed.threads).toBe(101);
  expect(typed.notes).toMatchObject({
    overlaps: 0,
    unknownFrees: 0,
    tornEvents: 0,
    missedInQuestions: 0,
    ringsRefused: 0,
  });
});
