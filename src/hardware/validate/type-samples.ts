// Stage: validation. Samples as dprof import leaves them, and a trace of the same run -> typed samples: the object at
// each address at its time, the code of each instruction. docs/validate.md, "Samples without types".

import { DprofError } from '../../base/dprof-error.js';
import { MappedCode } from '../samples/mapped-code.js';
import { loadColumns, type OpenedSamples } from '../samples/samples-reader.js';
import { TYPED_OBJECTS, type TypedSamples } from '../samples/typed-samples.js';
import { ELEMENTS, makeColumnsOf, type SampleColumns } from '../samples/samples.js';
import type { ReplayInput } from '../../contract/input.js';
import type { OpenedTrace } from '../../replay/open-trace.js';
import { simulate } from '../../sim/simulate.js';
import { gatherRows } from './gather-rows.js';
import { ObjectTypes } from './object-types.js';
import { NO_ADDRESS, ObjectsAtTimes } from './objects-at-times.js';
import { PlacesOfSamples, type LocateCode } from './places-of-samples.js';
import type { NamedFiles } from './same-program.js';
import { requireOverlap, traceClock } from './trace-clock.js';

/** As many samples as fit into memory, each about 150 bytes. */
const MOST_SAMPLES = 1 << 24;
const KERNEL = 1n << 63n;

/** `input`: of the recorded schedule. */
export function typeSamples(
  opened: OpenedSamples,
  trace: OpenedTrace,
  input: ReplayInput,
  locate: LocateCode,
  named: NamedFiles,
): TypedSamples {
  const { tables } = opened;
  if (opened.rows > MOST_SAMPLES)
    throw new DprofError(
      `${named.samples} has ${opened.rows} samples without types, more than ${MOST_SAMPLES}`,
      'take them with a longer period',
    );
  const clock = traceClock(trace, tables.run.clock, named);
  const columns = loadColumns(opened);
  const own = rowsOf(columns, trace.header.pid);
  if (own.length === 0)
    throw new DprofError(
      `${named.samples} has no sample of process ${trace.header.pid}, which ${named.trace} is of`,
      'record both at once: perf record -k CLOCK_MONOTONIC … -- dprof record -o TRACE -- PROGRAM',
    );
  requireOverlap(clock, columns.time[own[0]], columns.time[own[own.length - 1]], named);

  const reasons = new Map<string, number>();
  const untyped = (reason: string): 0 => {
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    return 0;
  };
  const hasAddress = tables.events.map(({ fields }) => fields.includes('address'));
  const found = new ObjectsAtTimes(
    {
      stamp: BigUint64Array.from(own, (row) => BigInt.asUintN(64, clock.toStamp(columns.time[row]))),
      address: Float64Array.from(own, (row) =>
        hasAddress[columns.event[row]] && columns.address[row] !== 0n && columns.address[row] < KERNEL
          ? Number(columns.address[row])
          : NO_ADDRESS,
      ),
    },
    trace.header.stampsPerSecond,
  );
  simulate(input, found);
  found.finish();

  const types = new ObjectTypes(trace.catalog);
  const type = new Uint32Array(own.length);
  const offset = new Float64Array(own.length);
  own.forEach((row, at) => {
    const address = columns.address[row];
    const object = found.object[at];
    if (object === undefined) {
      untyped(
        !hasAddress[columns.event[row]] || address === 0n
          ? 'no-address'
          : address >= KERNEL
            ? 'kernel'
            : found.isFreed[at]
              ? 'freed'
              : 'unknown-memory',
      );
      return;
    }
    const place = types.placeOf(object, Number(address));
    if (place === null) untyped('unknown-type');
    else [type[at], offset[at]] = [place.type, place.offset];
  });

  const code = new PlacesOfSamples(new MappedCode(tables), locate, new Set(trace.modules.map(({ path }) => path)));
  const place = code.placesOf(columns, own, tables.events);
  const rows = gatherRows(columns, own, { type, offset, place });
  const events = tables.events.map((event, index) => ({
    ...event,
    samples: own.reduce((sum, row) => sum + (columns.event[row] === index ? 1 : 0), 0),
  }));
  const others = columns.time.length - own.length;
  const notes = {
    ...code.notes,
    ...(others > 0 && { 'samples of other processes': others }),
    ...(found.late > 0 && { 'typed by what came within 20 µs': found.late }),
  };
  return {
    run: tables.run,
    events,
    lost: tables.lost,
    names: tables.names,
    changes: tables.threads,
    modules: code.modules,
    places: code.places,
    types: types.types,
    untyped: Object.fromEntries([...reasons].sort()),
    mostObjects: 0,
    startNs: String(clock.startNs),
    endNs: String(clock.endNs ?? clock.startNs),
    ended: '',
    threads: trace.threads.length,
    cpus: new Set(own.map((row) => columns.cpu[row])).size,
    startStamp: String(clock.start),
    endStamp: '0',
    trace: named.trace,
    aslr: trace.header.aslr,
    notes,
    rows,
    objects: makeColumnsOf(TYPED_OBJECTS, (_, element) => new ELEMENTS[element](0)),
  };
}

/** The rows of that process in order of time: a row that came late stands where it belongs. */
function rowsOf({ pid, time }: SampleColumns, process: number): Uint32Array {
  const own = Uint32Array.from(pid.keys()).filter((row) => pid[row] === process);
  return own.sort((a, b) => (time[a] < time[b] ? -1 : time[a] > time[b] ? 1 : a - b));
}
