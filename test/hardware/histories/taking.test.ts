// Stage: test. Programs whose accesses to each object are known by construction: exactly those are in the histories, in
// their order.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { viewHistories } from '../../../src/hardware/histories/history-view.js';
import { run, DPROF } from '../../cli/command-line.js';
import { build, describe, folder, REGISTERS_ARE_DENIED, takeHistories, type Seen } from './history-programs.js';

const ALL = [
  '--type',
  'struct packet',
  '--one-in',
  '1',
  '--width',
  '4',
  '--field',
  'length',
  '--field',
  'kind',
  '--field',
  'state',
  '--field',
  'next',
];

const FILLED = ['0 length fill own', '8 kind fill own', '24 next fill own'];
const LOOKED = Array.from({ length: 3 }, () => ['0 length look other', '8 kind look other']).flat();

// A register watches 8 bytes here, so kind and state are one slot.
const WIDE = (accesses: readonly string[]): string[] =>
  accesses.map((access) => access.replace(/^8 kind/, '8 kind, state'));
const packet = (
  accesses: readonly string[],
  ending = 'free',
  endedIn: string | undefined = ending === 'free' ? 'main' : undefined,
): Seen => ({ allocatedIn: 'main', accesses, ending, endedIn });

test.skipIf(REGISTERS_ARE_DENIED).each([['clang'], ['gcc'], ['dprof-cc']] as const)(
  '%s: every access to each object, in order, by function, field and thread',
  (compiler) => {
    const { status, stdout, histories } = takeHistories(
      ['--type', 'struct packet', '--one-in', '1'],
      build('packets.c', compiler),
      '5',
      'plain',
    );
    expect([status, stdout]).toEqual([0, '60\n']);
    expect(describe(histories)).toEqual(
      Array.from({ length: 5 }, () => packet(WIDE([...FILLED, ...LOOKED, '8 kind close_packet own']))),
    );
    expect(histories.types.map(({ name, bytes, slots, watches }) => ({ name, bytes, slots, watches }))).toEqual([
      {
        name: 'struct packet',
        bytes: 32,
        slots: [0, 8, 16, 24].map((offset) => ({ offset, bytes: 8 })),
        watches: [[0, 1, 2, 3]],
      },
    ]);
    expect(histories.end).toMatchObject({
      exit: { code: 0 },
      lost: 0,
      stray: 0,
      unwatchedThreads: 0,
      threads: 6,
      endings: [5, 0, 0, 0, 0, 0],
      types: [{ allocations: 5, busy: 0, notDrawn: 0, tooSoon: 0, misaligned: 0, histories: 5, elements: 50 }],
    });
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('times rise along a history, between its allocation and its end', () => {
  const { rows, elements, firstElement } = takeHistories(
    ['--type', 'struct packet', '--one-in', '1'],
    build('packets.c'),
    '4',
    'plain',
  ).histories;
  for (let row = 0; row < 4; row++) {
    const times = [
      rows.allocatedNs[row],
      rows.armedNs[row],
      ...elements.timeNs.subarray(firstElement[row], firstElement[row + 1]),
      rows.endedNs[row],
    ];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(13);
  }
});

test.skipIf(REGISTERS_ARE_DENIED)('registers of 4 bytes tell neighbours apart; fields choose what is watched', () => {
  const { histories } = takeHistories(ALL, build('packets.c'), '2', 'plain');
  expect(histories.types[0].slots).toEqual([0, 4, 8, 12, 24, 28].map((offset) => ({ offset, bytes: 4 })));
  expect(histories.types[0].watches).toEqual([
    [0, 1, 2, 3],
    [4, 5],
  ]);
  const [first, second] = describe(histories)
    .map(({ accesses }) => accesses)
    .sort((a, b) => b.length - a.length);
  // A store of 8 bytes is seen by two registers of 4.
  const twice = (access: string): string[] => [access, access.replace(/^\d+/, (offset) => String(Number(offset) + 4))];
  expect(first).toEqual([
    ...twice('0 length fill own'),
    '8 kind fill own',
    ...Array.from({ length: 3 }, () => [...twice('0 length look other'), '8 kind look other']).flat(),
    '12 state close_packet own',
  ]);
  expect(second).toEqual(twice('24 next fill own'));
});

test.skipIf(REGISTERS_ARE_DENIED)('free on another thread', () => {
  const { histories } = takeHistories(
    ['--type', 'struct packet', '--one-in', '1'],
    build('packets.c'),
    '3',
    'elsewhere',
  );
  expect(describe(histories)).toEqual(
    Array.from({ length: 3 }, () =>
      packet(WIDE([...FILLED, ...LOOKED, '8 kind close_packet other']), 'free', 'reader_that_frees'),
    ),
  );
  for (let row = 0; row < 3; row++)
    expect(histories.rows.endedThread[row]).not.toBe(histories.rows.allocatedThread[row]);
});

test.skipIf(REGISTERS_ARE_DENIED)(
  'realloc ends one object and begins another; it does not say that it is an array, and what is behind the ' +
    'first is not watched',
  () => {
    const { histories } = takeHistories(
      ['--type', 'struct packet', '--one-in', '1'],
      build('packets.c'),
      '2',
      'realloc',
    );
    const seen = describe(histories);
    const { rows } = histories;
    expect(Array.from(rows.bytes)).toEqual([32, 128, 32, 128]);
    for (const row of [0, 2])
      expect(seen[row]).toEqual(packet(WIDE([...FILLED, ...LOOKED, '8 kind close_packet own'])));
    for (const row of [1, 3])
      expect([rows.element[row], seen[row]]).toEqual([0, packet(['8 kind, state close_packet own'])]);
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('an object that is never freed keeps the registers until the program ends', () => {
  const { histories } = takeHistories(
    ['--type', 'struct packet', '--one-in', '1', '--longest', '0'],
    build('packets.c'),
    '3',
    'leak',
  );
  expect(describe(histories)).toEqual([packet(WIDE([...FILLED, ...LOOKED, '8 kind close_packet own']), 'exit')]);
  expect(histories.end?.types[0]).toMatchObject({ allocations: 3, busy: 2, histories: 1 });
});

test.skipIf(REGISTERS_ARE_DENIED).each([
  ['kill', 137, { signal: 9 }],
  ['crash', 139, { signal: 11 }],
  ['exit', 7, { code: 7 }],
] as const)('a program that ends by %s: all that was seen is there', (how, status, exit) => {
  const taken = takeHistories(['--type', 'struct packet', '--one-in', '1'], build('packets.c'), '3', how);
  expect(taken.status).toBe(status);
  expect(taken.histories.end?.exit).toEqual(exit);
  expect(describe(taken.histories).map(({ accesses, ending }) => [accesses.length, ending])).toEqual([
    [10, 'free'],
    [10, 'free'],
    [10, 'exit'],
  ]);
});

test.skipIf(REGISTERS_ARE_DENIED)('a forked child is not watched, its parent still is, and it is counted', () => {
  const { status, histories } = takeHistories(
    ['--type', 'struct packet', '--one-in', '1'],
    build('packets.c'),
    '3',
    'fork',
  );
  expect(status).toBe(0);
  expect(describe(histories).map(({ accesses }) => accesses.length)).toEqual([10, 10, 10]);
  expect(histories.end?.forkedChildren).toBe(3);
});

test.skipIf(REGISTERS_ARE_DENIED)('what lies in mappings is not watched, and they are counted', () => {
  const { stdout, histories } = takeHistories(['--type', 'struct subject', '--one-in', '1'], build('mapped.c'));
  expect([stdout, histories.rows.type.length]).toEqual(['3 E\n', 1]);
  expect(histories.end).toMatchObject({ mappings: 2, mappedBytes: 12_288, forkedChildren: 0 });
});

test.skipIf(REGISTERS_ARE_DENIED)(
  'a thread that nobody announces gets registers when it is noticed, and is counted',
  () => {
    const { histories } = takeHistories(['--type', 'struct bare', '--one-in', '1'], build('bare.c'));
    expect(histories.end).toMatchObject({ threads: 1, lateThreads: 1, unwatchedThreads: 0 });
    expect(describe(histories).map(({ accesses }) => accesses)).toEqual([
      ['8 done main own', '0 seen look other', '8 done thread other'],
    ]);
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('a program that another one executes in its place is watched in its place', () => {
  const { histories } = takeHistories(
    ['--type', 'struct packet', '--one-in', '1'],
    '/bin/sh',
    '-c',
    `exec ${build('packets.c')} 2 plain`,
  );
  expect(describe(histories).map(({ accesses }) => accesses.length)).toEqual([10, 10]);
});

test.skipIf(REGISTERS_ARE_DENIED)('one seed draws the same number, another one another; nothing is uncounted', () => {
  const program = build('packets.c');
  const drawn = (seed: string): number => {
    const { allocations, busy, notDrawn, tooSoon, misaligned, enough, histories } = takeHistories(
      ['--type', 'struct packet', '--one-in', '3', '--seed', seed],
      program,
      '40',
      'plain',
    ).histories.end!.types[0];
    expect([allocations, busy + notDrawn + tooSoon + misaligned + enough + histories]).toEqual([40, 40]);
    return histories;
  };
  expect(['5', '5', '6'].map(drawn)).toEqual([9, 9, 15]);
});

test.skipIf(REGISTERS_ARE_DENIED)('limits: elements, time, histories a second, sets', () => {
  const program = build('packets.c');
  const take = (...flags: string[]) =>
    takeHistories(['--type', 'struct packet', '--one-in', '1', ...flags], program, '3', 'slow').histories;
  // nobody was turned away
  expect(describe(take('--longest', '5')).map(({ ending }) => ending)).toEqual(['free', 'free', 'free']);
  const leaking = takeHistories(
    ['--type', 'struct packet', '--one-in', '1', '--longest', '5'],
    program,
    '8',
    'slow-leak',
  ).histories;
  expect(describe(leaking).map(({ ending }) => ending)).toEqual(['longest', 'longest', 'longest', 'longest']);
  expect(describe(take('--most-elements', '1')).map(({ ending }) => ending)).toEqual([
    'elements',
    'elements',
    'elements',
  ]);
  expect(take('--per-second', '1').end?.types[0]).toMatchObject({ allocations: 3, tooSoon: 2, histories: 1 });
  expect(take('--sets', '2').rows.type.length).toBe(2);
});

test.skipIf(REGISTERS_ARE_DENIED).each([['clang'], ['dprof-cc']] as const)(
  '%s, C++: new with a constructor, a wrapper of malloc',
  (compiler) => {
    const { histories } = takeHistories(['--one-in', '1', '--type', 'ns::Node'], build('nodes.cpp', compiler));
    expect(histories.types.map(({ name, bytes }) => [name, bytes])).toEqual([['ns::Node', 16]]);
    const node = {
      allocatedIn: 'main',
      accesses: ['0 key_ ns::Node::Node own', '8 left_ ns::Node::Node own', '0 key_ ns::Node::key own'],
      ending: 'free',
      endedIn: 'main',
    };
    expect(
      describe(histories).map((seen) => ({
        ...seen,
        accesses: [...seen.accesses.slice(0, 2).sort(), ...seen.accesses.slice(2)],
      })),
    ).toEqual(Array.from({ length: 6 }, () => node));
  },
);

test.skipIf(REGISTERS_ARE_DENIED)(
  'what a wrapper of malloc hands out is of the type that its caller makes of it',
  () => {
    const { histories } = takeHistories(['--one-in', '1', '--type', 'pair'], build('nodes.cpp', 'clang'));
    expect(describe(histories)).toEqual(
      Array.from({ length: 6 }, () => ({
        allocatedIn: 'make_pair_of',
        accesses: ['0 first make_pair_of own', '8 second main own', '0 first main own'],
        ending: 'free',
        endedIn: 'main',
      })),
    );
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('two objects that share a line are watched together', () => {
  const { histories } = takeHistories(
    ['--type', 'struct counter', '--one-in', '1', '--share-lines', '--field', 'value'],
    build('lines.c'),
  );
  const { rows } = histories;
  expect(Array.from(rows.partner)).toEqual([2, 1]);
  expect(Math.floor(rows.address[0] / 64)).toBe(Math.floor(rows.address[1] / 64));
  // The second was there when the first came; the first one freed ends both.
  expect(
    describe(histories)
      .map(({ ending }) => ending)
      .sort(),
  ).toEqual(['free', 'partner']);
  expect(describe(histories).map(({ accesses }) => accesses.length)).toEqual([3, 3]);
});

test.skipIf(REGISTERS_ARE_DENIED)(
  'pairwise sets find the three paths of a program that has three, single-offset sets how many',
  () => {
    const program = build('buckets.c');
    const take = (cover: string, seed: string) =>
      viewHistories(
        takeHistories(['--type', 'struct bucket', '--one-in', '1', '--cover', cover, '--seed', seed], program, '400')
          .histories,
      );
    const steps = ({ rows }: ReturnType<typeof take>): string[][] =>
      rows.map((path) => path.steps.map((step) => `${step.field} ${step.function}`)).sort();
    const pairwise = take('pairwise', '3');
    expect(pairwise.collection).toMatchObject([{ historiesPerSet: 10, histories: 400, sets: 40 }]);
    expect(steps(pairwise)).toEqual([
      ['a first_way', 'j first_way'],
      ['e third_way'],
      ['j second_way', 'a second_way'],
    ]);
    expect(pairwise.curves[0].points.at(-1)).toEqual({ sets: 40, paths: 3 });
    const single = take('single', '3');
    expect(single.collection).toMatchObject([{ historiesPerSet: 3, histories: 400, sets: 133 }]);
    expect(single.rows).toHaveLength(3);
  },
);

test.skipIf(REGISTERS_ARE_DENIED)(
  'hardware proof of the recorder: what registers saw of an object is in the trace of the same run, in the same order',
  () => {
    const trace = join(folder, 'proof.dptrace');
    const { histories } = takeHistories(
      ['--type', 'struct packet', '--one-in', '1', '--trace', trace],
      build('packets.c', 'dprof-cc'),
      '1',
      'leak',
    );
    const { rows, elements } = histories;
    const lines = run(DPROF, 'dump', trace, '--references')
      .stdout.trim()
      .split('\n')
      .map((line) => line.split(' '));
    const traced = lines
      .map(([core, kind, address]) => ({ core, kind, offset: parseInt(address, 16) - rows.address[0] }))
      .filter(({ offset }) => offset >= 0 && offset < 32);
    expect(traced.map(({ core, kind, offset }) => `${core} ${kind} ${offset}`)).toEqual([
      '0 w 0',
      '0 w 8',
      '0 w 24',
      ...Array.from({ length: 3 }, () => ['1 r 0', '1 r 8']).flat(),
      '0 w 12',
    ]);
    expect(Array.from(elements.offset)).toEqual(traced.map(({ offset }) => Math.floor(offset / 8) * 8));
    expect(Array.from(elements.thread, (thread) => (thread === rows.allocatedThread[0] ? '0' : '1'))).toEqual(
      traced.map(({ core }) => core),
    );
  },
);

test.skipIf(REGISTERS_ARE_DENIED)('the report says what the dump does', () => {
  const file = `${build('packets.c')}.dphistories`;
  const { status, stdout, stderr } = run(
    DPROF,
    'history',
    '-o',
    file,
    '--type',
    'struct packet',
    '--one-in',
    '1',
    '--',
    build('packets.c'),
    '4',
    'plain',
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('struct packet  1: 1, 2: 1, 3: 1, 4: 1\n');
  expect(stdout).toContain('path 1 of 1: struct packet, 4 histories\n');
  expect(run(DPROF, 'report', file).stdout).toBe(stdout.slice(stdout.indexOf('program')));
  const dumped = run(DPROF, 'dump', file).stdout.split('\n');
  expect(dumped.filter((line) => / time \+/.test(line) && !line.includes('ended'))).toHaveLength(40);
  const view = JSON.parse(run(DPROF, 'report', file, '--format', 'json').stdout) as {
    schema: string;
    sampled: boolean;
    collection: object[];
    rows: { steps: object[] }[];
  };
  expect(view).toMatchObject({
    schema: 'dprof.histories/1',
    sampled: true,
    collection: [{ type: 'struct packet', bytes: 32, histories: 4, sets: 4, elements: 40 }],
  });
  expect(view.rows[0].steps).toMatchObject([
    { offset: 0, field: 'length', function: 'fill', otherThread: false, accesses: 1 },
    { offset: 8, field: 'kind, state', function: 'fill', accesses: 1 },
    { offset: 24, field: 'next', function: 'fill', accesses: 1 },
    { offset: 0, function: 'look', otherThread: true, accesses: 3 },
    { offset: 8, function: 'look', otherThread: true, accesses: 3 },
    { offset: 8, function: 'close_packet', otherThread: false, accesses: 1 },
  ]);
});
