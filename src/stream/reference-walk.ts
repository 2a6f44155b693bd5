// Stage: replay -> stream. All references of a replay in its order, one for each line that an access touches. The
// specification of engine/stream/reference_walk.h.

import { NO_INDEX } from '../base/ids.js';
import type { ReplayInput } from '../contract/input.js';
import type { AccessObserver, ReplayedReference } from '../sim/access-observer.js';
import { simulateInSteps } from '../sim/simulate.js';
import { bytesOfValidity, setValid } from './validity.js';
import type { RawColumn, ReferenceRows } from './reference-rows.js';

/** Rows that are handed over at a time. */
const FULL = 1 << 16;

export function* walkReferences(input: ReplayInput, columns: ReadonlySet<RawColumn>): Generator<ReferenceRows> {
  let met: ReplayedReference[] = [];
  let before = 0;
  const observer: AccessObserver = { reference: (reference) => void met.push(reference) };
  for (const _ of simulateInSteps({ ...input, sharedVariables: undefined, flow: undefined }, observer)) {
    if (met.length < FULL) continue;
    yield rowsOf(met, before, columns);
    before += met.length;
    met = [];
  }
  if (met.length > 0) yield rowsOf(met, before, columns);
}

/** `before`: rows that have been made. */
function rowsOf(met: readonly ReplayedReference[], before: number, columns: ReadonlySet<RawColumn>): ReferenceRows {
  const words = (name: RawColumn, valueOf: (reference: ReplayedReference) => number): Uint32Array | undefined =>
    columns.has(name) ? Uint32Array.from(met, valueOf) : undefined;
  const numbers = (name: RawColumn, valueOf: (reference: ReplayedReference) => number): Float64Array | undefined =>
    columns.has(name) ? Float64Array.from(met, valueOf) : undefined;
  return {
    count: met.length,
    slot: words('slot', ({ slot }) => slot),
    number: columns.has('number') ? Float64Array.from(met, (_, row) => before + row) : undefined,
    address: numbers('address', ({ address }) => address),
    size: words('size', ({ sizeBytes }) => sizeBytes),
    thread: words('thread', ({ thread }) => thread),
    core: columns.has('core') ? Uint16Array.from(met, ({ core }) => core) : undefined,
    time: numbers('time', ({ time }) => time),
    caller: words('caller', ({ callers }) => callers[0] ?? NO_INDEX),
    caller2: words('caller2', ({ callers }) => callers[1] ?? NO_INDEX),
    caller3: words('caller3', ({ callers }) => callers[2] ?? NO_INDEX),
    caller4: words('caller4', ({ callers }) => callers[3] ?? NO_INDEX),
    object: words('object', ({ object }) => object?.number ?? NO_INDEX),
    offset: numbers('offset', ({ object }) => object?.offset ?? 0),
    site: words('site', ({ object }) => object?.site ?? NO_INDEX),
    age: numbers('age', ({ object }) => object?.age ?? 0),
    outcome: words('outcome', ({ outcome }) => outcome),
    ...(columns.has('value') && valuesOf(met)),
    evicted: numbers('evicted', ({ evicted }) => evicted[0]?.address ?? 0),
    l2Evicted: numbers('l2Evicted', ({ evicted }) => evicted[1]?.address ?? 0),
    llcEvicted: numbers('llcEvicted', ({ evicted }) => evicted[2]?.address ?? 0),
    evictedObject: words('evictedObject', ({ evicted }) => evicted[0]?.object ?? NO_INDEX),
    l2EvictedObject: words('l2EvictedObject', ({ evicted }) => evicted[1]?.object ?? NO_INDEX),
    llcEvictedObject: words('llcEvictedObject', ({ evicted }) => evicted[2]?.object ?? NO_INDEX),
    invalidated: words('invalidated', ({ invalidated }) => invalidated),
  };
}

function valuesOf(met: readonly ReplayedReference[]): Pick<ReferenceRows, 'value' | 'valueKnown'> {
  const valueKnown = new Uint8Array(bytesOfValidity(met.length));
  const value = BigUint64Array.from(met, ({ value }) => value ?? 0n);
  met.forEach(({ value }, row) => {
    if (value !== null) setValid(valueKnown, row);
  });
  return { value, valueKnown };
}
