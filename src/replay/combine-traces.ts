// Stage: trace -> replay. The traces of several processes to one, as if they had run on one machine: threads in the
// order in which they began, a space of addresses for each process, one for what they share (docs/replay/processes.md).

import { DprofError } from '../base/dprof-error.js';
import { Scout } from '../order/scout.js';
import { buildCatalog, buildCatalogs } from '../trace/catalog-builder.js';
import type { ModuleChunk } from '../trace/module-chunk.js';
import { TraceFile } from '../trace/trace-file.js';
import { sumDamage } from '../contract/damage.js';
import { SPACE_BYTES, type ProcessInput, type ThreadChunks } from '../contract/input.js';
import { haveSameBytes, type OpenedTrace, type TraceParts } from './open-trace.js';
import { chooseProcesses } from './room-for-processes.js';
import { sharePieces } from './shared-memory.js';

/**
 * A trace with the stamp at which each of its threads began, as far as it is known: never before the thread in front of
 * it.
 */
interface TimedTrace {
  readonly trace: TraceParts;
  readonly begins: readonly bigint[];
}

export function combineTraces(given: readonly TraceParts[]): OpenedTrace {
  if (given.length === 1) return { ...given[0], catalog: buildCatalog(given[0].modules) };
  checkTogether(given);
  const begun = given.map((trace): TimedTrace => ({ trace, begins: beginsOf(trace) })).sort(byBeginning);
  const { chosen: timed, leftOut } = chooseProcesses(begun);
  const traces = timed.map(({ trace }) => trace);
  const bases = traces.map((_, process) => process * SPACE_BYTES);
  const { catalog, placeOf, catalogModules } = combinePrograms(traces, bases);
  const shared = sharePieces(traces.map(({ mappings }) => mappings));
  const threads: ThreadChunks[] = [];
  const numbers = traces.map((trace) => new Uint32Array(trace.threads.length));
  for (const { process, thread } of inCreationOrder(timed)) {
    numbers[process][thread] = threads.length;
    threads.push({ ...traces[process].threads[thread], process, isFirst: thread === 0 });
  }
  const processes = traces.map(
    ({ path }, process): ProcessInput => ({
      path,
      ...placeOf[process],
      threads: numbers[process],
      base: bases[process],
      shared: shared[process],
    }),
  );
  const [first] = traces;
  return {
    ...first,
    truncated: traces.some(({ truncated }) => truncated),
    damaged: sumDamage(traces.map(({ damaged }) => damaged)) ?? null,
    modules: traces.flatMap(({ modules }) => modules),
    catalog,
    threads,
    mappings: [],
    processes,
    catalogModules,
    traces,
    ...(leftOut && { leftOut }),
  };
}

/** Stamps are of one clock if they are of one machine; two traces of one process would be one thread on two cores. */
function checkTogether(traces: readonly TraceParts[]): void {
  const [first, ...others] = traces;
  const seen = new Map<string, string>();
  for (const trace of traces) {
    const name = `${trace.header.pid} ${trace.header.startTimeNs} ${JSON.stringify(trace.process)}`;
    const same = seen.get(name);
    if (same !== undefined)
      throw new DprofError(`${trace.path} is of the same process as ${same}`, 'name each trace once', 2);
    seen.set(name, trace.path);
  }
  for (const other of others) {
    const differs = differenceOf(first, other);
    if (differs !== null)
      throw new DprofError(
        `${first.path} and ${other.path} were recorded on different machines: ${differs}`,
        'replay them one by one; profiles are added up by dprof merge',
      );
  }
}

function differenceOf(
  { header: a, process: first }: TraceParts,
  { header: b, process: second }: TraceParts,
): string | null {
  if (a.architecture !== b.architecture) return `${a.architecture} and ${b.architecture}`;
  if (a.pageBytes !== b.pageBytes) return `pages of ${a.pageBytes} and of ${b.pageBytes} bytes`;
  const [slower, faster] = [a.stampsPerSecond, b.stampsPerSecond].sort((x, y) => x - y);
  if (faster - slower > faster / 50) return `${slower} and ${faster} stamps a second`;
  const isBoot = typeof first.boot === 'string' && typeof second.boot === 'string';
  return isBoot && first.boot !== second.boot ? `boots ${String(first.boot)} and ${String(second.boot)}` : null;
}

function beginsOf(trace: TraceParts): bigint[] {
  const file = TraceFile.open(trace.path);
  try {
    let latest = 0n;
    return trace.threads.map((chunks) => {
      const scout = new Scout(file, chunks);
      if (scout.next() && scout.entry.stamp > latest) latest = scout.entry.stamp;
      return latest;
    });
  } catch (error) {
    if (error instanceof DprofError) error.message = `${trace.path}: ${error.message}`;
    throw error;
  } finally {
    file.close();
  }
}

/** Sorts by the begin of the processes, so the order in which traces were named does not matter. */
function byBeginning(a: TimedTrace, b: TimedTrace): number {
  const [first, second] = [a.begins[0] ?? 0n, b.begins[0] ?? 0n];
  if (first !== second) return first < second ? -1 : 1;
  const [{ header: one, path: onePath }, { header: other, path: otherPath }] = [a.trace, b.trace];
  if (one.startTimeNs !== other.startTimeNs) return one.startTimeNs < other.startTimeNs ? -1 : 1;
  return one.pid - other.pid || (onePath < otherPath ? -1 : 1);
}

function inCreationOrder(timed: readonly TimedTrace[]): { process: number; thread: number }[] {
  const all = timed.flatMap(({ begins }, process) => begins.map((begin, thread) => ({ begin, process, thread })));
  return all.sort((a, b) =>
    a.begin < b.begin ? -1 : a.begin > b.begin ? 1 : a.process - b.process || a.thread - b.thread,
  );
}

/**
 * Processes of the same modules, in the same order, are of one program; one may have loaded more of them than the
 * other.
 */
function combinePrograms(traces: readonly TraceParts[], bases: readonly number[]) {
  const programs: { modules: readonly ModuleChunk[]; processes: number[] }[] = [];
  traces.forEach(({ modules }, process) => {
    const same = programs.find((program) => isBeginning(program.modules, modules));
    if (same === undefined) programs.push({ modules, processes: [process] });
    else {
      same.processes.push(process);
      if (modules.length > same.modules.length) same.modules = modules;
    }
  });
  const { catalog, places } = buildCatalogs(
    programs.map(({ modules, processes }) =>
      modules.map((module, index) => ({
        ...module,
        globals: processes.flatMap((process) =>
          (traces[process].modules[index]?.globals ?? []).map((global) => ({
            ...global,
            address: addressIn(bases[process], global.address),
          })),
        ),
      })),
    ),
  );
  const placeOf = traces.map(
    (_, process) => places[programs.findIndex(({ processes }) => processes.includes(process))],
  );
  return { catalog, placeOf, catalogModules: programs.flatMap(({ modules }) => modules) };
}

/** An address that no process can have gets its top bit set, so it belongs to no process. */
function addressIn(base: number, address: bigint): bigint {
  return address < BigInt(SPACE_BYTES) ? address + BigInt(base) : address | (1n << 63n);
}

/** True if the shorter list is the beginning of the longer one. */
function isBeginning(a: readonly ModuleChunk[], b: readonly ModuleChunk[]): boolean {
  const common = Math.min(a.length, b.length);
  return (
    (common > 0 || a.length === b.length) &&
    a.slice(0, common).every((module, index) => module.path === b[index].path && haveSameBytes(module, b[index]))
  );
}
