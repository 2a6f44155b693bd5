// Stage: views -> CSV. What of a view is a row of CSV: its own rows, but a step of a path trace, and an edge of a
// data-flow graph.

import { serversOf } from '../replay/machine.js';
import type { DataFlow } from '../views/data-flow.js';
import type { Locks } from '../views/locks.js';
import type { PathTraces } from '../views/path-traces.js';
import { byCount, type SharedVariables } from '../views/shared-variables.js';
import type { SampledStepFacts } from '../views/sampled-paths.js';
import type { View } from '../views/view.js';
import type { WorkingSet } from '../views/working-set.js';
import { flattenRow } from './csv.js';

/** Of path traces they are made while they are read, as often as they are. */
export function csvRows(view: Pick<View<unknown>, 'schema' | 'rows' | 'sampled'>): Iterable<object> {
  return view.sampled === undefined ? rowsOf(view) : alignRows([...rowsOf(view)]);
}

/** Of samples: each interval in two columns, and every row with the columns of all. */
function alignRows(rows: readonly object[]): object[] {
  const flat = rows.map((row) => flattenRow(splitIntervals(row) as object));
  const names = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  return flat.map((row) => Object.fromEntries(names.map((name) => [name, row.get(name) ?? null])));
}

function splitIntervals(value: unknown, isInterval = false): unknown {
  if (isInterval && Array.isArray(value)) return { low: value[0], high: value[1] };
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, splitIntervals(part, isInterval || name === 'intervals')]),
  );
}

function rowsOf(view: Pick<View<unknown>, 'schema' | 'rows'>): Iterable<object> {
  switch (view.schema) {
    case 'dprof.path-traces/1':
      return { [Symbol.iterator]: () => pathTraceRows(view as PathTraces) };
    case 'dprof.data-flow/1':
      return dataFlowRows(view as DataFlow);
    case 'dprof.working-set/1':
      return workingSetRows(view as WorkingSet);
    case 'dprof.locks/1':
      return lockRows(view as Locks);
    case 'dprof.shared-variables/1':
      return sharedVariableRows(view as SharedVariables);
    default:
      return view.rows as readonly object[];
  }
}

/** A path without steps has one row. */
function* pathTraceRows({ rows, machine, sampled }: PathTraces): Generator<object> {
  const none = Object.fromEntries(serversOf(machine).map((server) => [server, null]));
  for (const [index, { steps, ...path }] of rows.entries()) {
    const own = steps.length === 0 ? [undefined] : steps;
    yield* own.map((step, at) => ({
      path: index + 1,
      ...path,
      step: step === undefined ? null : at + 1,
      function: step?.function ?? null,
      file: step?.file ?? null,
      line: step?.line ?? null,
      stepCut: step?.cut ?? null,
      coreChange: step?.coreChange ?? null,
      beginOffset: step?.offsets[0] ?? null,
      endOffset: step?.offsets[1] ?? null,
      averageTimeSinceAllocationInstructions: step?.averageTimeSinceAllocationInstructions ?? null,
      references: step?.references ?? null,
      averageLatencyCycles: step?.averageLatencyCycles ?? null,
      served: step?.served ?? none,
      ...(sampled !== undefined && sampledStep(step)),
    }));
  }
}

/** What steps from histories and samples have besides. */
function sampledStep(step: object | undefined): object {
  const { hit, samples, averageTimeSinceAllocationNanoseconds, intervals } = (step ?? {}) as Partial<SampledStepFacts>;
  return {
    hit: hit ?? null,
    samples: samples ?? null,
    averageTimeSinceAllocationNanoseconds: averageTimeSinceAllocationNanoseconds ?? null,
    stepIntervals: { intervals: intervals ?? {} },
  };
}

function dataFlowRows({ rows }: DataFlow): object[] {
  return rows.flatMap(({ type, nodes, edges }) =>
    edges.map(({ from, to, ...edge }) => ({ type, ...edge, from: nodes[from], to: nodes[to] })),
  );
}

function workingSetRows({ rows }: WorkingSet): object[] {
  return rows.map(({ paths, ...row }) => ({
    ...row,
    paths: paths
      .map(
        ({ functions, end, frequency }) =>
          `${frequency} x ${functions.map((name) => name ?? '?').join(' > ')} | ${end}`,
      )
      .join('; '),
  }));
}

/**
 * Threads, functions and data in one column each: "0:1200 1:1199", "push<main:20 pop<main:19", "struct task:40:3:0:0".
 */
function lockRows({ rows }: Locks): object[] {
  return rows.map((row) => ({
    ...row,
    threads: Object.entries(row.threads).map(([thread, acquisitions]) => ({ thread, acquisitions })),
    functions: row.functions.map(({ path, acquisitions }) => ({ path: path.join('<') || '(unknown)', acquisitions })),
  }));
}

/** Threads in one column, busiest first: "0:1200 1:1199". */
function sharedVariableRows({ rows }: SharedVariables): object[] {
  return rows.map((row) => ({ ...row, threads: byCount(row) }));
}
