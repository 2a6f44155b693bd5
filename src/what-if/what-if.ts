// Stage: trace -> what-if. The whole way: what is asked for, to a trace of the run as if its data were laid out so.

import { closeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import type { EngineName } from '../replay/replay.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import type { AllocatorChoice } from './allocations.js';
import { headerLayouts, type Header } from './header-layouts.js';
import type { NewLayout } from './layout-change.js';
import { layoutsOf } from './new-layouts.js';
import { parseChanges } from './parse-changes.js';
import { placeNatively, surveyNatively } from './native-placing.js';
import { placeTrace } from './placed-trace.js';
import { placeObjects, type PlacingFacts } from './place-objects.js';
import { withPlainPaths } from './plain-catalog.js';
import { survey } from './survey.js';
import { withVariants } from './variant-records.js';
import { bytesOf, relayCatalog } from './relay-catalog.js';

/** As the command line says it. */
export interface WhatIfRequest {
  readonly reorder?: readonly string[];
  readonly align?: readonly string[];
  readonly header?: Header;
  readonly allocator?: AllocatorChoice;
}

export interface WhatIfFacts extends PlacingFacts {
  /** Of types: in order of their names. */
  readonly types: readonly { readonly type: string; readonly bytesBefore: number; readonly bytesAfter: number }[];
  /** Accesses that became several, since their bytes lie apart. */
  readonly split: number;
  readonly allocator: string;
}

export interface WhatIf {
  readonly trace: OpenedTrace;
  readonly facts: WhatIfFacts;
  /** The trace's file is gone. */
  close(): void;
}

/** A machine is needed to decode; what lies where depends on none. */
const ANY_MACHINE: Parameters<typeof replayInput>[1] = {
  name: 'any',
  cores: 1,
  coresPerLlc: 1,
  lineBytes: 64,
  l1: { sizeBytes: 32768, ways: 8, latencyCycles: 0 },
  l2: { sizeBytes: 1048576, ways: 16, latencyCycles: 14 },
  llc: { sizeBytes: 33554432, ways: 16, latencyCycles: 50 },
  memoryLatencyCycles: 200,
  cacheToCacheLatencyCycles: 170,
};

/**
 * Each change is one way to lay out the run; all are placed in one pass over the trace. `compilers`: the folder of
 * dprof-cc. `engine`: what walks over the trace; both place the same.
 */
export async function tryChanges(
  trace: OpenedTrace,
  requests: readonly WhatIfRequest[],
  compilers: string,
  engine: EngineName = 'native',
): Promise<WhatIf[]> {
  checkTrace(trace);
  const { catalog } = trace;
  const layouts = requests.map((request) => layoutsAsked(catalog, request, compilers));
  const bytes = layouts.map((own) => bytesOf(catalog, own));
  const input = replayInput(trace, ANY_MACHINE, { kind: 'logical' });
  const found = engine === 'ts' ? survey(input) : await surveyNatively(input);
  const ways = requests.map(({ allocator }, way) =>
    placeObjects(catalog, found, { layouts: layouts[way], bytes: bytes[way], allocator }),
  );
  const objects = ways.map(({ placed }) => placed);
  const traces =
    engine === 'ts' ? objects.map((placed) => placeTrace(input, placed)) : await placeNatively(input, objects);
  return traces.map(({ descriptor, threads, split, variants }, way) => {
    const own = [...layouts[way]].map(([type, { sizeBytes }]) => ({
      type: catalog.types.name[type],
      bytesBefore: catalog.types.sizeBytes[type],
      bytesAfter: sizeBytes,
    }));
    const placedCatalog = relayCatalog(withPlainPaths(withVariants(catalog, variants)), layouts[way], bytes[way]);
    return {
      trace: { ...trace, path: `/proc/self/fd/${descriptor}`, threads, catalog: placedCatalog },
      facts: { types: own, split, allocator: requests[way].allocator?.name ?? 'glibc', ...ways[way].facts },
      close: () => closeSync(descriptor),
    };
  });
}

function checkTrace(trace: OpenedTrace): void {
  if (trace.processes !== undefined)
    throw new DprofError('several processes: a change is tried on one', 'name one of the traces', 2);
  if (trace.damaged !== null)
    throw new DprofError(
      'the trace is damaged: what is missing may have moved memory',
      'record again; dprof report shows what is left of it',
    );
}

function layoutsAsked(catalog: Catalog, request: WhatIfRequest, compilers: string): Map<number, NewLayout> {
  const changes = parseChanges(catalog, request);
  const header = request.header && headerLayouts(catalog, request.header, compilers);
  return layoutsOf(catalog, changes, compilers, header);
}
