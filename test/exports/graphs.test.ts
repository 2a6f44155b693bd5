// Stage: test. DOT, drawn by Graphviz, and Trace Event JSON: their numbers are those of sharing pairs, data flow and
// the address set.

import { execFileSync } from 'node:child_process';
import { expect, test, describe } from 'vitest';
import { writeDot } from '../../src/exports/dot-text.js';
import { flowGraph, type FlowGraph } from '../../src/exports/flow-dot.js';
import { sharingGraph } from '../../src/exports/sharing-dot.js';
import { writeTraceEvents, type TraceEvent } from '../../src/exports/trace-event.js';
import { mergeProfiles } from '../../src/profile/merge-profiles.js';
import type { Profile } from '../../src/profile/profile.js';
import { spellVisibly } from '../../src/report/visible-text.js';
import { buildAddressSet } from '../../src/views/address-set.js';
import { buildSharingView } from '../../src/views/sharing-rows.js';
import { HOSTILE, hostile, join, plain, PROFILES } from './hostile-profile.js';

interface Drawn {
  readonly objects: readonly {
    readonly _gvid: number;
    readonly name: string;
    readonly label?: string;
    readonly fillcolor?: string;
    readonly shape?: string;
    readonly tooltip?: string;
  }[];
  readonly edges?: readonly {
    readonly tail: number;
    readonly head: number;
    readonly label: string;
    readonly penwidth: string;
    readonly style?: string;
    readonly color?: string;
  }[];
}

const draw = (text: string, format: string): string =>
  execFileSync('dot', [`-T${format}`], { input: text, encoding: 'utf8' });
/** What Graphviz made of it. A label's `\n` is a line's end, `\\` a backslash. */
const drawn = (text: string): Drawn => JSON.parse(draw(text, 'json')) as Drawn;
const lines = (label: string): string[] =>
  label.split(/(?<!\\)(?:\\\\)*\\n/).map((line) => line.replaceAll('\\\\', '\\').replaceAll('&amp;', '&'));

describe.each(PROFILES)('%s', (_, profile) => {
  test('sharing pairs from type to type: misses of each arrow are those of the view', () => {
    const view = buildSharingView(profile);
    const { objects, edges = [] } = drawn(join(writeDot([sharingGraph(view)])).toString());
    const nameOf = (id: number): string => lines(objects.find(({ _gvid }) => _gvid === id)!.label!)[0];
    const read = edges.map(({ tail, head, label }) => [nameOf(tail), nameOf(head), label]);
    const sums = new Map<string, number>();
    for (const { class: name, misses, missed, writer } of view.rows) {
      const key = JSON.stringify([spellVisibly(writer.type), spellVisibly(missed.type), name]);
      sums.set(key, (sums.get(key) ?? 0) + misses);
    }
    expect(read.map(String).sort()).toEqual(
      [...sums]
        .map(([key, misses]) => [
          ...(JSON.parse(key) as string[]).slice(0, 2),
          `${misses} ${(JSON.parse(key) as string[])[2]}`,
        ])
        .map(String)
        .sort(),
    );
  });

  test('live bytes and objects over the run: at each event what the address set has alive', () => {
    const { traceEvents } = JSON.parse(join(writeTraceEvents(profile, {})).toString()) as { traceEvents: TraceEvent[] };
    const { rows } = buildAddressSet(profile);
    const counters = traceEvents.filter(({ ph }) => ph === 'C');
    expect(counters.length).toBeGreaterThan(8);
    const last = new Map<string, number>();
    for (const { name, ts = NaN, args } of counters) {
      const type = name.replace(/^live (bytes|objects): /, '');
      const alive = rows.filter(
        (row) => row.type === type && row.allocatedAt / 1000 <= ts && (row.freedAt === null || row.freedAt / 1000 > ts),
      );
      expect(args).toEqual(
        name.startsWith('live bytes')
          ? { bytes: alive.reduce((sum, { bytes }) => sum + bytes, 0) }
          : { objects: alive.length },
      );
      expect(ts).toBeGreaterThanOrEqual(last.get(name) ?? 0);
      last.set(name, ts);
    }
    expect(new Set([...last.keys()].map((name) => name.replace(/^live (bytes|objects): /, '')))).toEqual(
      new Set(rows.map(({ type }) => type)),
    );
    const phases = traceEvents
      .filter(({ ph }) => ph === 'X')
      .map(({ name, ts, dur }) => [name, ts! * 1000, dur! * 1000]);
    expect(phases).toEqual(
      profile.phases.map(({ name, time }, at) => [
        name,
        time,
        (profile.phases[at + 1]?.time ?? profile.totals.instructions) - time,
      ]),
    );
  });
});

test('of more changes than a timeline is for: equally spaced, each exact', () => {
  const count = 5000;
  const column = <Column extends Float64Array | Uint8Array | Uint32Array>(
    like: Column,
    of: (at: number) => number,
  ): Column =>
    (like.constructor as unknown as { from(source: object, map: (_: unknown, at: number) => number): Column }).from(
      { length: count },
      (__, at) => of(at),
    );
  const objects = Object.fromEntries(
    Object.entries(plain.objects).map(([name, own]) => [
      name,
      column(own as Float64Array, (at) => ({ bornAt: at, diedAt: -1, sizeBytes: 8, type: 3 })[name] ?? 0),
    ]),
  ) as unknown as Profile['objects'];
  const many: Profile = { ...plain, objects, totals: { ...plain.totals, instructions: count } };
  const events = (
    JSON.parse(join(writeTraceEvents(many, {})).toString()) as { traceEvents: TraceEvent[] }
  ).traceEvents.filter(({ name }) => name.startsWith('live bytes'));
  expect(events.length).toBe(2000);
  for (const { ts, args } of events)
    expect(args).toEqual({ bytes: 8 * (Math.min(count - 1, Math.round(ts! * 1000)) + 1) });
});

test('merged runs are processes beside each other', () => {
  const merged = mergeProfiles([
    { name: 'a', profile: plain },
    { name: 'b', profile: plain },
  ]);
  const { traceEvents } = JSON.parse(join(writeTraceEvents(merged, {})).toString()) as { traceEvents: TraceEvent[] };
  const of = (pid: number): object[] =>
    traceEvents.filter((event) => event.pid === pid).map(({ pid: _, ...event }) => event);
  expect(of(2)).toEqual(of(1));
  expect(of(1).length * 2).toBe(traceEvents.length);
});

test('only one type', () => {
  const { traceEvents } = JSON.parse(join(writeTraceEvents(plain, { type: 'struct node' })).toString()) as {
    traceEvents: TraceEvent[];
  };
  expect(new Set(traceEvents.filter(({ ph }) => ph === 'C').map(({ name }) => name))).toEqual(
    new Set(['live bytes: struct node', 'live objects: struct node']),
  );
});

const flow: FlowGraph = {
  type: HOSTILE['struct args'],
  nodes: [
    {
      id: 0,
      kind: 'allocation',
      function: 'make',
      file: 'main.c',
      line: 9,
      objects: 10,
      references: 0,
      averageLatencyCycles: null,
    },
    {
      id: 1,
      kind: 'step',
      function: HOSTILE.worker,
      file: HOSTILE['main.c'],
      line: 12,
      objects: 10,
      references: 1234,
      averageLatencyCycles: 50,
    },
    {
      id: 2,
      kind: 'step',
      function: 'send',
      file: null,
      line: null,
      objects: 4,
      references: 8,
      averageLatencyCycles: 200,
    },
    {
      id: 3,
      kind: 'free',
      end: 'freed',
      variable: null,
      function: 'drop',
      file: null,
      line: null,
      objects: 10,
      references: 0,
      averageLatencyCycles: null,
    },
  ],
  edges: [
    { from: 0, to: 1, objects: 10, coreChanges: 0, averageLatencyCycles: 50 },
    { from: 1, to: 2, objects: 4, coreChanges: 3, averageLatencyCycles: 200 },
    { from: 1, to: 3, objects: 6, coreChanges: 0, averageLatencyCycles: null },
    { from: 2, to: 3, objects: 4, coreChanges: 0, averageLatencyCycles: null },
  ],
};

test('data flow: darker for higher latency, bold where a core changes, thick by objects', () => {
  const { objects, edges = [] } = drawn(join(writeDot([flowGraph(flow)])).toString());
  const nodes = objects.filter(({ fillcolor }) => fillcolor !== undefined);
  expect(
    nodes.map(({ label, fillcolor, shape, tooltip }) => [lines(label!).slice(-1)[0], fillcolor, shape, tooltip]),
  ).toEqual([
    ['10 objects', '#ffffff', 'ellipse', 'main.c:9'],
    ['1,234 references, 50.0 cycles', '#ffd3d3', 'box', expect.any(String)],
    ['8 references, 200.0 cycles', '#ff5050', 'box', undefined],
    ['10 objects', '#ffffff', 'ellipse', undefined],
  ]);
  expect([0, 3].map((at) => lines(nodes[at].label!)[0])).toEqual(['allocation make', 'free drop (freed)']);
  expect(lines(nodes[1].label!)[0]).toBe(`step ${spellVisibly(HOSTILE.worker)}`);
  expect(edges.map(({ label, penwidth, style }) => [label, penwidth, style])).toEqual([
    ['10', '6.00', undefined],
    ['4\\n3 change core', '3.00', 'bold'],
    ['6', '4.00', undefined],
    ['4', '3.00', undefined],
  ]);
});

test('two types are two clusters, whatever they are called', () => {
  const { objects } = drawn(join(writeDot([flowGraph(flow), flowGraph({ ...flow, type: 'other' })])).toString());
  expect(objects.filter(({ name }) => name.startsWith('cluster')).map(({ label }) => lines(label!)[0])).toEqual([
    spellVisibly(HOSTILE['struct args']),
    'other',
  ]);
  expect(objects.filter(({ fillcolor }) => fillcolor !== undefined)).toHaveLength(8);
});

test('hostile names are text in the picture', () => {
  const svg = draw(join(writeDot([sharingGraph(buildSharingView(hostile)), flowGraph(flow)])).toString(), 'svg');
  expect(svg).not.toMatch(/<script|<img/);
  expect(svg).toContain('struct &quot;args\\&quot;\\n&lt;script&gt;alert(1)&lt;/script&gt;');
});
