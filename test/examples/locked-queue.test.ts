// Stage: test. TASKS is 20,000, WORKERS 2; a task is one line (64 bytes, 64-byte aligned).
//   main: input and next of each task stored once, queue.first stored once; each workers[] loaded once to join; output
//   of each task loaded
//   once to add up; queue.taken loaded once to print.
//   take: 20,000 times with a task: load first, load next, store first, load and store taken; and once per worker
//   without: load first.
//   work: load input, store output, 20,000 times.
// L1 misses of tasks, whoever takes which: main's first store (compulsory), the worker's first load (compulsory,
// shared), and main's load of the output that a worker stored since (true sharing): 20,000 each.
import { expect } from 'vitest';
import { describeExample } from './example-suite.js';

const TASKS = 20_000;

describeExample({
  name: 'locked-queue',
  references: () => ({
    'struct task': { next: [TASKS, TASKS], input: [TASKS, TASKS], output: [TASKS, TASKS] },
    'struct queue': { first: [TASKS + 2, TASKS + 1], taken: [TASKS + 1, TASKS] },
    'pthread_t[]': { workers: [2, 0] },
  }),
  finding: ({ row, sharing }) => {
    expect(row('struct task').levels.l1).toMatchObject({
      misses: 60_000,
      compulsoryShared: 20_000,
      classes: { compulsory: 40_000, 'true-sharing': 20_000, 'false-sharing': 0, conflict: 0, capacity: 0 },
    });
    const pairs = sharing.rows.filter((pair) => pair.missed.type === 'struct task');
    // main stores next last, and take loads it first.
    expect(pairs.find((pair) => pair.class === 'cold-sharing')).toMatchObject({
      misses: 20_000,
      relation: 'same-object',
      missed: { field: 'next', function: 'take' },
      writer: { field: 'next', function: 'main', allocatedBy: 0 },
    });
    expect(pairs.find((pair) => pair.class === 'true-sharing')).toMatchObject({
      misses: 20_000,
      relation: 'same-object',
      missed: { field: 'output', function: 'main', site: 'examples/locked-queue/locked-queue.c:60' },
      writer: { field: 'output', function: 'work', site: 'examples/locked-queue/locked-queue.c:38', allocatedBy: 0 },
    });
  },
});
