// Stage: trace -> what-if. The whole way: what is asked for, to a trace of the run as if its data were laid out so.

import { closeSync } from 'node:fs';
import { DprofError } from '../base/dprof-error.js';
import { requireAllocations } from './allocations.js';
import { allocatorOfRun } from './find-allocator.js';
import { sideBySide } from '../base/side-by-side.js';
import type { Catalog } from '../contract/catalog.js';
import type { ReplayInput } from '../contract/input.js';
import type { EngineName } from '../replay/replay.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import type { AllocatorChoice } from './allocations.js';
import { compileBeside, compileNow } from './compile-types.js';
import { parseArrayChanges } from './array-change.js';
import { WHOLE, type Excerpts } from './excerpts.js';
import { headerLayouts, type Header, type HeaderLayouts } from './header-layouts.js';
import type { NewLayout, StructChange } from './layout-change.js';
import { layoutsOf } from './new-layouts.js';
import { loopChanges, type LoopChanges } from './loop-change.js';
import { parseChanges, type StructWords } from './parse-changes.js';
import { placeNatively, surveyNatively, type PlacingWay } from './native-placing.js';
import { placeTrace, type PlacedTrace } from './placed-trace.js';
import { isLone, placeObjects, typeOf, type PlacingFacts, type PlacingRequest } from './place-objects.js';
import { NothingLaidOut } from './nothing-laid-out.js';
import { nothingPlaced } from './placed-objects.js';
import { parsePools, type Pool } from './pool-change.js';
import { withPlainPaths } from './plain-catalog.js';
import { survey } from './survey.js';
import type { Survey, SurveyedObjects } from './survey-columns.js';
import {
  checkGroupedFields,
  namesOf,
  variableAligns,
  variableGroups,
  withGroupedFields,
  type GroupMember,
} from './variable-change.js';
import { withVariants } from './variant-records.js';
import { bytesOf, relayCatalog, withPlacedVariables } from './relay-catalog.js';

/** As the command line says it. */
export interface WhatIfRequest extends StructWords {
  readonly padRows?: readonly string[];
  /** Global variables, and fields of such, with commas. */
  readonly group?: readonly string[];
  readonly pool?: readonly string[];
  /** Loops by a line in the inner one, as loop-change.ts has them. */
  readonly interchange?: readonly string[];
  readonly tile?: readonly string[];
  readonly header?: Header;
  readonly allocator?: AllocatorChoice;
}

export interface WhatIfFacts extends PlacingFacts {
  /** Of types: in order of their names. */
  readonly types: readonly { readonly type: string; readonly bytesBefore: number; readonly bytesAfter: number }[];
  /** Accesses that became several, since their bytes lie apart. */
  readonly split: number;
  /** Loads of pointers to cold parts. */
  readonly pointerLoads: number;
  /** Iterations of loops that are gone through in another order. */
  readonly moved: number;
  /**
   * Of types that are split; 'pointer': to the cold part; 'arrays': two arrays side by side; 'threads': each has one;
   * 'group': it lies there.
   */
  readonly parts: readonly {
    readonly type: string;
    readonly coldBytes: number;
    readonly by: 'pointer' | 'arrays' | 'threads' | 'group';
  }[];
  /** Of blocks, as they are placed now; and of the run. */
  readonly allocator: string;
  readonly allocatorOfRun: string;
  /** Types, or places, whose blocks lie in a pool. */
  readonly pools: readonly string[];
  /** Those with lines of their own, or in a group, or whose fields are. */
  readonly variables: readonly string[];
}

export interface WhatIf {
  readonly trace: OpenedTrace;
  readonly facts: WhatIfFacts;
  /** The trace's file is gone. */
  close(): void;
}

/** What is asked of structs and variables, and the structs that are laid out anew then. */
export interface RelaidTypes {
  readonly changes: readonly StructChange[];
  readonly layouts: ReadonlyMap<number, NewLayout>;
  /** By row of the catalog's variables: bytes. */
  readonly variables: ReadonlyMap<number, number>;
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

/** A run, on which changes are tried. */
export class Trials {
  readonly #ofRun: AllocatorChoice;

  private constructor(
    readonly trace: OpenedTrace,
    readonly survey: Survey,
    private readonly compilers: string,
    private readonly engine: EngineName,
    private readonly descriptor?: number,
  ) {
    this.#ofRun = allocatorOfRun(trace.process);
  }

  /** `compilers`: the folder of dprof-cc. `engine`: what walks over the trace; both place the same. */
  static async of(trace: OpenedTrace, compilers: string, engine: EngineName = 'native'): Promise<Trials> {
    checkTrace(trace);
    requireAllocations();
    const input = replayInput(trace, ANY_MACHINE, { kind: 'logical' });
    return new Trials(trace, engine === 'ts' ? survey(input) : await surveyNatively(input), compilers, engine);
  }

  /** A change that makes no sense is refused, as `try` refuses it. */
  static check(trace: OpenedTrace, request: WhatIfRequest, compilers: string): void {
    checkTrace(trace);
    parseRequest(trace.catalog, request, compilers);
  }

  /** The run, of which only excerpts have their accesses: changes are tried on them as on the whole. */
  async excerpts(excerpts: Excerpts): Promise<Trials> {
    const { trace, survey: found, compilers, engine } = this;
    const input = replayInput(trace, ANY_MACHINE, { kind: 'logical' });
    const asItWas = { placed: nothingPlaced(found.objects.count), loops: null };
    const [placed] = await placeWays(input, [asItWas], engine, excerpts);
    if (placed instanceof DprofError) throw placed;
    const { descriptor, threads, variants } = placed;
    const catalog = withPlainPaths(withVariants(trace.catalog, variants));
    return new Trials({ ...trace, ...placedAt(descriptor), threads, catalog }, found, compilers, engine, descriptor);
  }

  /** Of excerpts: their file is gone. */
  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  relay(request: WhatIfRequest): RelaidTypes {
    const { catalog } = this.trace;
    const { changes, header, variables, groups } = parseRequest(catalog, request, this.compilers);
    const withPointer = typesWithPointer(catalog, this.survey.objects, groups);
    return {
      changes,
      variables,
      layouts: compileNow(layoutsOf(catalog, changes, this.compilers, withPointer, header)),
    };
  }

  /**
   * Each change is one way to lay out the run and to go through its loops; all are placed in one pass over the trace. A
   * change that the run refuses is an error in its place.
   */
  async try(requests: readonly WhatIfRequest[]): Promise<(WhatIf | DprofError)[]> {
    const { trace, survey: found, engine } = this;
    const { catalog } = trace;
    const ofRun = this.#ofRun;
    const ways: (Way | DprofError)[] = [];
    await sideBySide(requests, async (request, index) => {
      ways[index] = await orRefused(() => this.way(request));
    });
    const possible = ways.flatMap((way) => (way instanceof DprofError ? [] : [way]));
    const input = replayInput(trace, ANY_MACHINE, { kind: 'logical' });
    const traces = await placeWays(input, possible, engine);
    const results = new Map(possible.map((way, index) => [way, traces[index]]));
    return ways.map((way, index) => {
      if (way instanceof DprofError) return way;
      const placedTrace = results.get(way)!;
      if (placedTrace instanceof DprofError) return placedTrace;
      const { layouts, bytes, placed, facts } = way;
      const { descriptor, threads, split, pointerLoads, moved, variants } = placedTrace;
      if (way.loops !== null && moved === 0) {
        closeSync(descriptor);
        return noMatrix([...(requests[index].interchange ?? []), ...(requests[index].tile ?? [])]);
      }
      const relaid = relayCatalog(withPlainPaths(withVariants(catalog, variants)), layouts, bytes);
      const placedCatalog = withPlacedVariables(relaid, found.objects, placed);
      return {
        trace: { ...trace, ...placedAt(descriptor), threads, catalog: placedCatalog },
        facts: {
          ...describeLayouts(catalog, layouts, way.groups),
          split,
          pointerLoads,
          moved,
          variables: way.variables,
          allocator: requests[index].allocator?.name ?? ofRun.name,
          allocatorOfRun: ofRun.name,
          pools: way.pools.map(({ name }) => name),
          ...facts,
        },
        close: () => closeSync(descriptor),
      };
    });
  }

  private async way(request: WhatIfRequest): Promise<Way> {
    const { trace, survey: found, compilers } = this;
    const { catalog } = trace;
    const { changes, header, loops, ...rest } = parseRequest(catalog, request, compilers);
    const withPointer = typesWithPointer(catalog, found.objects, rest.groups);
    const layouts = await compileBeside(layoutsOf(catalog, changes, compilers, withPointer, header));
    const bytes = bytesOf(catalog, layouts);
    const { variables: names } = catalog;
    const variables = [
      ...[...rest.variables.keys()].map((row) => names.name[row]),
      ...rest.groups.flat().flatMap((member) => namesOf(catalog, member)),
    ];
    const { pools, arrays, groups } = rest;
    const placing = await placeObjects(catalog, found, { layouts, bytes, ofRun: this.#ofRun, ...rest });
    const { laidOut, pooled, left } = placing.facts;
    const isOfTypes = loops === null && rest.variables.size + groups.length + arrays.length === 0;
    if (isOfTypes && request.allocator === undefined && laidOut + pooled === 0)
      throw new NothingLaidOut(
        [...[...layouts.keys()].map((type) => catalog.types.name[type]), ...pools.map(({ name }) => name)],
        left,
      );
    return {
      layouts,
      bytes,
      variables,
      groups: rest.groups,
      loops,
      pools,
      ...placing,
    };
  }
}

/** What a request asks of the run. */
interface Way extends PlacingWay {
  readonly layouts: ReadonlyMap<number, NewLayout>;
  readonly bytes: ReturnType<typeof bytesOf>;
  /** As in WhatIfFacts. */
  readonly variables: readonly string[];
  readonly groups: readonly (readonly GroupMember[])[];
  readonly pools: readonly Pool[];
  readonly facts: PlacingFacts;
}

function noMatrix(loops: readonly string[]): DprofError {
  return new DprofError(
    `${loops.join(', ')}: no two loops of which the inner one has as many iterations each time`,
    'name a line that loads or stores in the inner loop; calls, atomics and vectors with masks keep their places',
    2,
  );
}

async function orRefused<Result>(work: () => Result | Promise<Result>): Promise<Result | DprofError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DprofError) return error;
    throw error;
  }
}

function placeWays(
  input: ReplayInput,
  ways: readonly PlacingWay[],
  engine: EngineName,
  excerpts: Excerpts = WHOLE,
): Promise<(PlacedTrace | DprofError)[]> {
  if (engine === 'native') return placeNatively(input, ways, excerpts);
  return Promise.all(ways.map(({ placed, loops }) => orRefused(() => placeTrace(input, placed, excerpts, loops))));
}

function placedAt(descriptor: number): { readonly path: string } {
  return { path: `/proc/self/fd/${descriptor}` };
}

function describeLayouts(
  { types, variables }: Catalog,
  layouts: ReadonlyMap<number, NewLayout>,
  groups: readonly (readonly GroupMember[])[],
): Pick<WhatIfFacts, 'types' | 'parts'> {
  const all = [...layouts];
  const grouped = new Set(groups.flat().flatMap(({ row, fields }) => (fields === null ? [] : [variables.type[row]])));
  return {
    types: all.map(([type, { sizeBytes }]) => ({
      type: types.name[type],
      bytesBefore: types.sizeBytes[type],
      bytesAfter: sizeBytes,
    })),
    parts: all.flatMap(([type, { cold }]) => {
      if (cold === undefined) return [];
      const apart = grouped.has(type) ? 'group' : cold.pointerAt === undefined ? 'arrays' : 'pointer';
      const by = cold.isPerThread ? 'threads' : apart;
      return [{ type: types.name[type], coldBytes: cold.sizeBytes, by } as const];
    }),
  };
}

/** Types of which some object is no array: but that of a variable whose fields lie in a group, where they are known. */
function typesWithPointer(
  catalog: Catalog,
  objects: SurveyedObjects,
  groups: readonly (readonly GroupMember[])[],
): Set<number> {
  const found = new Set<number>();
  const counts = new Map<number, number>();
  for (let object = 0; object < objects.count; object++) {
    const type = typeOf(objects, object);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    if (isLone(catalog, objects, object)) found.add(type);
  }
  checkGroupedFields(catalog, groups, (type) => counts.get(type) ?? 0);
  for (const { row, fields } of groups.flat()) if (fields !== null) found.delete(catalog.variables.type[row]);
  return found;
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

function parseRequest(
  catalog: Catalog,
  request: WhatIfRequest,
  compilers: string,
): Pick<PlacingRequest, 'arrays' | 'variables' | 'groups' | 'pools' | 'allocator'> & {
  changes: StructChange[];
  header?: HeaderLayouts;
  loops: LoopChanges | null;
} {
  const { variables, rest } = variableAligns(catalog, request.align ?? []);
  const groups = variableGroups(catalog, request.group ?? []);
  return {
    changes: withGroupedFields(catalog, parseChanges(catalog, { ...request, align: rest }), groups),
    variables,
    groups,
    arrays: parseArrayChanges(request.padRows ?? []),
    pools: parsePools(catalog, request.pool ?? []),
    header: request.header && headerLayouts(catalog, request.header, compilers),
    loops: loopChanges(catalog, request.interchange ?? [], request.tile ?? []),
    allocator: request.allocator,
  };
}
