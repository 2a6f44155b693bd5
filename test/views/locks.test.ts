// Stage: test. Locks of the hand-made run: rows by name and kind, as JSON, text and CSV.

import { expect, test } from 'vitest';
import { buildProfile } from '../../src/profile/profile-builder.js';
import { listBrokenInvariants } from '../profile/profile-invariants.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { renderCsv } from '../../src/report/csv.js';
import { renderSection } from '../../src/report/view-text.js';
import { buildLocks, locks } from '../../src/views/locks.js';
import { filterRows } from '../../src/views/row-filter.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';

const profile = buildProfile(handMadeResult(), catalog, facts);
const view = buildLocks(profile);

test('locks of one name are a row, of whichever unit their type is; longest waits first', () => {
  expect(view.rows).toEqual([
    {
      lock: 'pair.sx',
      kind: 'mutex',
      type: 'struct args',
      locks: 1,
      acquisitions: 10,
      threadcount: 2,
      threads: { 0: 6, 1: 4 },
      waits: 4,
      waitInstructions: 400,
      longestWaitInstructions: 200,
      holds: 9,
      holdInstructions: 90,
      longestHoldInstructions: 20,
      unreleased: 1,
      references: 60,
      l1Misses: 21,
      trueSharing: 10,
      falseSharing: 5,
      functions: [
        { function: 'worker', path: ['worker', 'main'], acquisitions: 7 },
        { function: null, path: [], acquisitions: 3 },
      ],
      data: [
        { type: 'struct args', references: 50, l1Misses: 20, trueSharing: 10, falseSharing: 5 },
        { type: 'struct node', references: 10, l1Misses: 1, trueSharing: 0, falseSharing: 0 },
      ],
    },
    {
      lock: 'struct node',
      kind: 'semaphore',
      type: 'struct node',
      locks: 1,
      acquisitions: 3,
      threadcount: 1,
      threads: { 0: 3 },
      waits: 2,
      waitInstructions: 50,
      longestWaitInstructions: 30,
      holds: 0,
      holdInstructions: 0,
      longestHoldInstructions: 0,
      unreleased: 0,
      references: 0,
      l1Misses: 0,
      trueSharing: 0,
      falseSharing: 0,
      functions: [{ function: 'worker', path: ['worker', 'main'], acquisitions: 3 }],
      data: [],
    },
    {
      lock: 'struct node.key',
      kind: 'mutex',
      type: 'struct node',
      locks: 4,
      acquisitions: 8,
      threadcount: 1,
      threads: { 1: 8 },
      waits: 1,
      waitInstructions: 7,
      longestWaitInstructions: 7,
      holds: 8,
      holdInstructions: 34,
      longestHoldInstructions: 10,
      unreleased: 0,
      references: 5,
      l1Misses: 3,
      trueSharing: 0,
      falseSharing: 0,
      functions: [{ function: 'worker', path: ['worker', 'main'], acquisitions: 8 }],
      data: [{ type: 'struct node', references: 5, l1Misses: 3, trueSharing: 0, falseSharing: 0 }],
    },
  ]);
  expect(view.all).toEqual({
    acquisitions: 21,
    waits: 7,
    waitInstructions: 457,
    longestWaitInstructions: 200,
    holds: 17,
    holdInstructions: 124,
    longestHoldInstructions: 20,
    unreleased: 1,
    references: 65,
    l1Misses: 24,
    trueSharing: 10,
    falseSharing: 5,
  });
  expect(buildProfile(handMadeResult('reversed'), catalog, facts)).toEqual(profile);
});

test('what does not add up is noticed', () => {
  expect(listBrokenInvariants(profile)).toEqual([]);
  const lockThreads = {
    ...profile.lockThreads!,
    acquisitions: profile.lockThreads!.acquisitions.map((count) => count + 1),
  };
  const lockData = { ...profile.lockData!, references: profile.lockData!.references.map(() => 1000) };
  expect(listBrokenInvariants({ ...profile, lockThreads, lockData })).toEqual([
    'acquisitions of locks by all threads: 25, not 21',
    'references under locks: 3000, more than 468',
  ]);
});

test('--type keeps locks in such objects, and locks under which such were touched', () => {
  expect(filterRows(view, { type: 'struct args' }).rows.map((row) => (row as { lock: string }).lock)).toEqual([
    'pair.sx',
  ]);
  expect(filterRows(view, { type: 'struct node' }).rows.map((row) => (row as { lock: string }).lock)).toEqual([
    'pair.sx',
    'struct node',
    'struct node.key',
  ]);
});

test('as text', () => {
  const { body, notes } = renderSection(locks.table(view, 1), 120);
  expect(body.split('\n')).toEqual([
    'lock       kind   locks  acquired  threads  waited  wait  longest wait  hold  longest hold',
    '─────────  ─────  ─────  ────────  ───────  ──────  ────  ────────────  ────  ────────────',
    'pair.sx    mutex      1        10        2       4   400           200    90            20',
    'all locks                      21                7   457           200   124            20',
    '',
    'lock                  function or type  acquired  references  L1 misses  true sharing  false sharing',
    '───────  ───────────  ────────────────  ────────  ──────────  ─────────  ────────────  ─────────────',
    'pair.sx  acquired by  worker < main            7',
    '         acquired by  (unknown)                3',
    '         touches      struct args                         50         20            10              5',
    '         touches      struct node                         10          1             0              0',
  ]);
  expect(notes.slice(0, 2)).toEqual([
    '1 of 3 names of locks. Under locks: 65 references (13.9% of all), 24 L1 misses (21.4%), each with the ' +
      'lock acquired last. Who had a lock first is as it was recorded.',
    '1 was held at the end, and is in no hold.',
  ]);
});

test('as CSV: threads, functions and data in one column each', () => {
  expect([...renderCsv(csvRows(view))].join('').split('\n').slice(0, 2)).toEqual([
    'lock,kind,type,locks,acquisitions,threadcount,threads,waits,waitInstructions,longestWaitInstructions,' +
      'holds,holdInstructions,longestHoldInstructions,unreleased,references,l1Misses,trueSharing,falseSharing,' +
      'functions,data',
    'pair.sx,mutex,struct args,1,10,2,0:6 1:4,4,400,200,9,90,20,1,60,21,10,5,worker<main:7 (unknown):3,struct ' +
      'args:50:20:10:5 struct node:10:1:0:0',
  ]);
});
