// Stage: test. Working set, path traces and data flow of the run in hand-made-flow.ts, number by number; then closed
// forms, and sums on random runs.

import { describe, expect, test } from 'vitest';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import { buildProfile } from '../../src/profile/profile-builder.js';
import type { Profile } from '../../src/profile/profile.js';
import { csvRows } from '../../src/report/csv-rows.js';
import { openTrace, replayInput } from '../../src/replay/open-trace.js';
import { LEVELS } from '../../src/contract/machine.js';
import type { ReplayWindow } from '../../src/contract/window.js';
import { simulate } from '../../src/sim/simulate.js';
import { buildDataFlow } from '../../src/views/data-flow.js';
import { buildDataProfile } from '../../src/views/data-profile.js';
import { PathGraph, type Stop } from '../../src/views/path-graph.js';
import { buildPathTraces } from '../../src/views/path-traces.js';
import { buildTimelines } from '../../src/views/timeline.js';
import { buildWorkingSet } from '../../src/views/working-set.js';
import { FLOW_VIEWS, VIEWS } from '../../src/views/views.js';
import { handMadeFlowProfile } from '../profile/hand-made-flow.js';
import { catalog, facts, handMadeResult } from '../profile/hand-made-run.js';
import { replayDrawing, type DrawnOptions } from '../drawn/replay-drawing.js';
import { randomMachine, randomTrace } from '../random/random-trace.js';
import { traceFile } from '../random/trace-file.js';
import { atLength } from '../at-length.js';
import type { DataFlowRow } from '../../src/views/data-flow-rows.js';
import type { WorkingSet, WorkingSetRow } from '../../src/views/working-set-rows.js';

const profile = handMadeFlowProfile();

const drawnTypes = { 'struct pair': { size: 16, fields: { left: [0, 8], right: [8, 8] } } } as const;
const pair = { address: 0x10000, size: 16, type: 'struct pair' } as const;

function drawn(text: string, options: DrawnOptions = {}): Profile {
  const flow = { by: 'function' as const, mostPaths: 1000, mostSteps: 64 };
  const {
    result,
    catalog: own,
    input,
  } = replayDrawing(text, { types: drawnTypes, heap: { p: pair, q: { ...pair, address: 0x20000 } }, ...options, flow });
  return buildProfile(result, own, { run: facts.run, machine: input.machine, schedule: { kind: 'logical' }, flow });
}

test('a profile without its flow says so, with what to do', () => {
  const without = buildProfile(handMadeResult(), catalog, facts);
  expect(() => VIEWS['working-set'].build(without)).toThrow('the profile has no paths, so it has no working set');
  for (const name of FLOW_VIEWS)
    expect(() => VIEWS[name].build(without)).toThrow(
      expect.objectContaining({
        hint: 'replay the trace once more, under one schedule and without --no-flow: dprof replay TRACE -o PROFILE',
      }),
    );
});

describe('path traces', () => {
  const view = buildPathTraces(profile);

  test('come by frequency, then by cycles', () => {
    expect(view.rows.map(({ type, variable, frequency, end }) => [type, variable, frequency, end])).toEqual([
      ['long[]', 'totals', 2, 'ended'],
      ['struct args', 'pair', 1, 'alive'],
      ['struct node', null, 1, 'freed'],
      ['int', 'counter', 1, 'alive'],
      ['heap-48@make', null, 1, 'alive'],
      ['struct node', null, 1, 'ended'],
      ['struct node', null, 1, 'freed'],
    ]);
  });

  test('a row has the keys and numbers of the interface', () => {
    expect(view.rows[2]).toEqual({
      type: 'struct node',
      kind: 'heap',
      variable: null,
      frequency: 1,
      allocatedBy: 'main',
      allocatedAt: 'main.c:7',
      steps: [
        {
          function: 'main',
          file: 'main.c',
          line: 0,
          cut: false,
          coreChange: false,
          offsets: [0, 16],
          averageTimeSinceAllocationInstructions: 0,
          references: 10,
          served: { l1: 9, l2: 0, llc: 0, cache: 0, memory: 1 },
          hit: { l1: 0.9, l2: 0, llc: 0, cache: 0, memory: 0.1 },
          averageLatencyCycles: 23.6,
        },
        {
          function: 'scan, "fast"',
          file: 'main.c',
          line: 0,
          cut: false,
          coreChange: true,
          offsets: [8, 16],
          averageTimeSinceAllocationInstructions: 40,
          references: 40,
          served: { l1: 32, l2: 0, llc: 0, cache: 0, memory: 8 },
          hit: { l1: 0.8, l2: 0, llc: 0, cache: 0, memory: 0.2 },
          averageLatencyCycles: 43.2,
        },
      ],
      end: 'freed',
      freedBy: null,
      freedAt: null,
      freedOnAnotherCore: true,
      cut: false,
      averageLifetimeInstructions: 500,
    });
    expect(view.rows[4]).toMatchObject({
      cut: true,
      steps: [
        { function: 'make', cut: false },
        { function: null, file: null, line: null, cut: true, references: 10 },
      ],
    });
    expect(view.rows[0]).toMatchObject({
      averageLifetimeInstructions: 30,
      steps: [{ averageTimeSinceAllocationInstructions: 2, references: 8 }],
    });
  });

  test('say how many lives there are, and of which they do not tell', () => {
    expect(view.flow).toEqual({
      by: 'function',
      mostPaths: 7,
      mostSteps: 64,
      distinctPaths: 7,
      lives: 9,
      livesOnPaths: 8,
      livesOnOtherPaths: 1,
      referencesOnOtherPaths: 0,
      livesCut: 1,
    });
    expect(view.rows.reduce((sum, { frequency }) => sum + frequency, 0)).toBe(view.flow.livesOnPaths);
  });
});

describe('data flow', () => {
  const spell = ({ nodes, edges }: DataFlowRow): string[] => [
    ...nodes.map(
      ({ id, kind, function: name, variable, end, objects, references }) =>
        `${id} ${kind} ${variable ?? name ?? end ?? '?'} ${objects} ${references}`,
    ),
    ...edges.map(
      ({ from, to, objects, coreChanges, averageLatencyCycles }) =>
        `${from}-${to} ${objects} ${coreChanges} ${averageLatencyCycles}`,
    ),
  ];

  test('common beginnings and common ends are one', () => {
    const row = buildDataFlow(profile).rows.find(({ type }) => type === 'struct node')!;
    expect(row).toMatchObject({ objects: 3, otherObjects: 0 });
    // The first two go the same way; the third begins elsewhere and ends otherwise.
    expect(spell(row)).toEqual(
      [
        '0 allocation main 2 0',
        '1 step main 2 15',
        '2 step scan, "fast" 2 60',
        '3 free freed 2 0',
        '4 allocation make 1 0',
        '5 step scan, "fast" 1 16',
        '6 end ended 1 0',
        '0-1 2 0 null',
        '1-2 2 1 ' + `${(51 * 4 + 9 * 200) / 60}`,
        '2-3 2 1 null',
        '4-5 1 0 28.5',
        '5-6 1 0 null',
      ].map((line) => line.replace('0-1 2 0 null', `0-1 2 0 ${(14 * 4 + 200) / 15}`)),
    );
  });

  const stop = (key: string, references = 1, latencyCycles = 4, changesCore = false): Stop<string> => ({
    spot: { kind: 'step', key, place: key },
    changesCore,
    references,
    latencyCycles,
  });
  const graphOf = (...paths: readonly (readonly [path: string, objects: number])[]): string[] => {
    const graph = new PathGraph<string>();
    for (const [path, objects] of paths)
      graph.add(
        [...path].map((key) => stop(key, objects, 4 * objects)),
        objects,
      );
    const { nodes, edges } = graph.freeze(
      (node) => node,
      (edge) => edge,
    );
    return [
      nodes.map(({ place, objects }) => `${place}${objects}`).join(' '),
      ...edges.map(({ from, to, objects }) => `${nodes[from].place}${from}>${nodes[to].place}${to}:${objects}`),
    ];
  };

  test('what begins alike is one until it parts; what goes on alike meets', () => {
    expect(graphOf(['abz', 3], ['acz', 2])).toEqual(['a5 b3 c2 z5', 'a0>b1:3', 'a0>c2:2', 'b1>z3:3', 'c2>z3:2']);
    // The b of abz and of acbz go on alike: one node.
    expect(graphOf(['abz', 3], ['acbz', 2])).toEqual(['a5 c2 b5 z5', 'a0>c1:2', 'a0>b2:3', 'c1>b2:2', 'b2>z3:5']);
    // These do not: after the second b some go on to c.
    expect(graphOf(['abz', 3], ['acbz', 2], ['acbc', 1])[0]).toBe('a6 b3 c3 b3 z5 c1');
  });

  test('two types are two graphs, and a place that is met twice on a way is two nodes', () => {
    expect(graphOf(['aba', 1])).toEqual(['a1 b1 a1', 'a0>b1:1', 'b1>a2:1']);
  });

  test.each(Array.from({ length: atLength(3, 12) }, (_, seed) => seed))(
    'random run %i: as many objects come to a node as leave it; edges go on; sums are those of the paths',
    (seed) => {
      const flow = { by: 'function' as const, mostPaths: 40, mostSteps: 64 };
      const trace = { ...openTrace(traceFile(randomTrace(seed, { actions: 150 }))), flow };
      const machine = randomMachine(seed);
      const own = buildProfile(simulate(replayInput(trace, machine, { kind: 'logical' })), trace.catalog, {
        run: facts.run,
        machine,
        schedule: { kind: 'logical' },
        flow,
      });
      const view = buildDataFlow(own);
      for (const { objects, nodes, edges } of view.rows) {
        const sum = (of: readonly { readonly objects: number }[]): number =>
          of.reduce((total, one) => total + one.objects, 0);
        for (const node of nodes) {
          const [came, left] = [edges.filter(({ to }) => to === node.id), edges.filter(({ from }) => from === node.id)];
          if (node.kind === 'allocation') expect(came).toEqual([]);
          else expect(sum(came)).toBe(node.objects);
          if (node.kind === 'free' || node.kind === 'end') expect(left).toEqual([]);
          else expect(sum(left)).toBe(node.objects);
        }
        expect(edges.every(({ from, to, objects: all, coreChanges }) => from < to && coreChanges <= all)).toBe(true);
        expect(sum(nodes.filter(({ kind }) => kind === 'allocation'))).toBe(objects);
        expect(sum(nodes.filter(({ kind }) => kind === 'free' || kind === 'end'))).toBe(objects);
      }
      const traces = buildPathTraces(own);
      const references = traces.rows.flatMap(({ steps }) => steps).reduce((sum, step) => sum + step.references, 0);
      expect(view.rows.flatMap(({ nodes }) => nodes).reduce((sum, node) => sum + node.references, 0)).toBe(references);
      expect(view.rows.reduce((sum, row) => sum + row.objects + row.otherObjects, 0)).toBe(view.flow.lives);
    },
  );
});

describe('working set', () => {
  const row = (view: WorkingSet, type: string): WorkingSetRow => view.rows.find((one) => one.type === type)!;
  const view = buildWorkingSet(profile);

  test(
    'averages, peaks and lifetimes are those of the objects; averages of lines are line time over replay ' + 'time',
    () => {
      expect(row(view, 'struct node')).toMatchObject({
        objects: 3,
        lives: 3,
        averageLiveObjects: 0.8,
        peakLiveObjects: 2,
        averageLiveBytes: (16 * 700 + 48 * 100) / 1000,
        peakLiveBytes: 48,
        averageLifetimeInstructions: 800 / 3,
        lifetimesLog2: [0, 0, 0, 0, 0, 0, 1, 1, 1],
        averageResidentLines: { l1: 0.6, l2: 0, llc: 0.5 },
        averageResidentBytes: { l1: 38.4, l2: 0, llc: 32 },
        averageFreedLines: { l1: 0.5, l2: 0, llc: 0.5 },
      });
      expect(row(view, 'long[]')).toMatchObject({
        objects: 1,
        lives: 3,
        averageLifetimeInstructions: 30,
        lifetimesLog2: [0, 0, 0, 0, 3],
        averageLiveObjects: 0.09,
      });
      expect(row(view, '(freed)')).toMatchObject({
        averageResidentLines: { l1: 0.5, l2: 0, llc: 0.5 },
        lives: 0,
        averageLifetimeInstructions: null,
      });
      expect(row(view, '(no object)')).toMatchObject({ averageResidentLines: { l1: 0.05, l2: 0, llc: 0 }, objects: 0 });
      const dataProfile = buildDataProfile(profile).rows;
      for (const { type, liveObjects, workingSetBytes } of dataProfile)
        expect([row(view, type)?.peakLiveObjects ?? 0, row(view, type)?.averageLiveBytes ?? 0]).toEqual([
          liveObjects,
          workingSetBytes,
        ]);
    },
  );

  test('types come by L1 misses; what was freed comes last', () => {
    expect(view.rows.map(({ type }) => type)).toEqual([
      'struct args',
      'struct node',
      'heap-48@make',
      'int',
      'long[]',
      '(no object)',
      '(freed)',
    ]);
  });

  test('sets: of the run each set, of a type each bin; those it does not use, and those it can reach', () => {
    expect(view.sets.l1).toMatchObject({ sets: 64, setsPerBin: 1, ways: 8, unused: 61, overfull: [7] });
    expect(view.sets.l1.linesPerSet[7]).toBe(10);
    expect(view.sets.l2).toMatchObject({ sets: 1024, setsPerBin: 4, unused: 1022, overfull: [] });
    const node = row(view, 'struct node');
    expect([node.linesPerSet.l1[7], node.objectsPerSet.l1[7], node.missesPerSet.l1[7], node.linesPerSet.l2[2]]).toEqual(
      [10, 3, 22 - 10, 10],
    );
    // Its objects begin at multiples of 256: every fourth set.
    expect([node.unusedSets.l1, node.reachableSets.l1]).toEqual([63, 16]);
    // Sets 8 to 11 of the L2, of which nobody knows which: all of four.
    expect([node.unusedSets.l2, node.reachableSets.l2]).toEqual([1020, 1024]);
    expect([row(view, 'long[]').unusedSets.l1, row(view, 'long[]').reachableSets.l1]).toEqual([64, 0]);
  });

  test('a set that was given as many lines as it has ways is full, not overfull', () => {
    const flow = profile.flow!;
    const overfull = (most: number) => {
      const lines = flow.sets.lines.map((count) => Math.min(count, most));
      return buildWorkingSet({ ...profile, flow: { ...flow, sets: { ...flow.sets, lines } } }).sets.l1.overfull;
    };
    expect([overfull(8), overfull(9)]).toEqual([[], [7]]);
  });

  test('paths of a type by their functions', () => {
    expect(row(view, 'struct node').paths).toEqual([
      { functions: ['main', 'scan, "fast"'], end: 'freed', frequency: 2 },
      { functions: ['scan, "fast"'], end: 'ended', frequency: 1 },
    ]);
    // Two cores in one function are one place of a way.
    expect(row(view, 'struct args').paths).toEqual([{ functions: ['worker'], end: 'alive', frequency: 1 }]);
  });

  test('buffers at multiples of 1 KiB reach four of 64 sets', () => {
    const heap = Object.fromEntries(
      Array.from({ length: 6 }, (_, number) => [`b${number}`, { address: 0x40000 + number * 1024, size: 1024 }]),
    );
    const text = ['core 0', ...Object.keys(heap).map((name) => `alloc ${name}; W ${name}`)].join('\n');
    const machine = { l1: { sizeBytes: 32768, ways: 8, latencyCycles: 4 } };
    const own = row(buildWorkingSet(drawn(text, { heap, machine })), 'heap-1024@(unknown)');
    expect([64 - own.unusedSets.l1, own.reachableSets.l1, own.linesPerSet.l1.filter((lines) => lines > 0)]).toEqual([
      4,
      4,
      [2, 2, 1, 1],
    ]);
  });

  test('the timeline is the average of live bytes in each part of the run', () => {
    // 200 instructions, two a part: p lives from 20 to 120, q from 50 to the end.
    const own = drawn('core 0\nwork 20\nalloc p\nwork 30\nalloc q\nwork 69\nfree p\nwork 78');
    const { timeline } = row(buildWorkingSet(own), 'struct pair');
    expect(own.totals.instructions).toBe(200);
    const { bornAt, diedAt } = own.objects;
    expect([[...bornAt], [...diedAt]]).toEqual([
      [20, 51],
      [121, -1],
    ]);
    expect(timeline).toEqual(
      Array.from({ length: 100 }, (_, part) =>
        part < 10 ? 0 : part < 25 ? 16 : part === 25 ? 24 : part < 60 ? 32 : part === 60 ? 24 : 16,
      ),
    );
  });

  test('a stack variable is spread over the time from its first life to its last; bytes times time add up', () => {
    const parts = buildTimelines(profile, 10);
    const type = profile.strings.indexOf('long[]');
    const own = [...parts[profile.types.name.indexOf(type)]];
    // 64 bytes for 90 of the 900 instructions from 50 to 950.
    expect(own.map((bytes) => Math.round(bytes * 1000) / 1000)).toEqual([
      3.2, 6.4, 6.4, 6.4, 6.4, 6.4, 6.4, 6.4, 6.4, 3.2,
    ]);
    for (const { type: name, averageLiveBytes, timeline } of view.rows)
      expect(timeline.reduce((sum, bytes) => sum + bytes, 0) / 100, name).toBeCloseTo(averageLiveBytes, 9);
  });

  test.each(Array.from({ length: atLength(2, 8) }, (_, seed) => seed))(
    'random run %i, a window of it, and both merged: timelines average to the average, lines of types and of ' +
      'freed objects to all that lay in the caches',
    (seed) => {
      const flow = { by: 'function' as const, mostPaths: 100, mostSteps: 64 };
      const trace = { ...openTrace(traceFile(randomTrace(seed, { actions: 150 }))), flow };
      const machine = randomMachine(seed);
      const replayed = (window?: ReplayWindow): Profile => {
        const result = simulate({ ...replayInput(trace, machine, { kind: 'logical' }), window });
        const from = result.window?.from;
        return buildProfile(result, trace.catalog, {
          run: facts.run,
          machine,
          schedule: { kind: 'logical' },
          flow,
          ...(from && { window: { from: { asked: '40', ...from }, to: null, warmUp: null } }),
        });
      };
      const [whole, part] = [replayed(), replayed({ from: { kind: 'reference', references: 40 } })];
      const both = mergeProfiles([
        { name: 'whole', profile: whole },
        { name: 'part', profile: part },
      ]);
      for (const own of [whole, part, both]) {
        const { rows, totals } = buildWorkingSet(own);
        for (const { type, averageLiveBytes, timeline } of rows)
          expect(timeline.reduce((sum, bytes) => sum + bytes, 0) / 100, type).toBeCloseTo(averageLiveBytes, 6);
        LEVELS.forEach((level, index) => {
          const lines = rows.reduce((sum, row) => sum + row.averageResidentLines[level], 0);
          const { residency } = own.flow!;
          const lineTime = residency.level.reduce(
            (sum, of, at) => sum + (of === index ? residency.lineTime[at] + residency.freedLineTime[at] : 0),
            0,
          );
          expect(lines).toBeCloseTo(lineTime / totals.instructions, 6);
        });
      }
    },
  );
});

test(
  'steps of path traces are made when they are asked for, and none is kept: a hundred thousand paths may have ' +
    'millions',
  () => {
    const { rows, ...envelope } = buildPathTraces(profile);
    expect(rows[0].steps).toEqual(rows[0].steps);
    expect(rows[0].steps).not.toBe(rows[0].steps);
    const lines = csvRows({ ...envelope, rows });
    expect(Array.isArray(lines)).toBe(false);
    expect([...lines]).toEqual([...lines]);
    expect([...lines]).toHaveLength(rows.reduce((sum, { steps }) => sum + Math.max(1, steps.length), 0));
  },
);
