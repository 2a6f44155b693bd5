// Stage: problems -> advice. CachePerf's rule on the data of problems: which objects are whose, one walk over the run,
// and what it says of each.

import type { Catalog } from '../contract/catalog.js';
import { setsOf, type Machine } from '../contract/machine.js';
import { NO_INDEX } from '../base/ids.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import type { EngineName } from '../replay/replay.js';
import { namesOf } from '../what-if/array-change.js';
import { CROWD, WINDOW, type CacheperfRequest } from '../what-if/cacheperf-columns.js';
import { cacheperfWalk } from '../what-if/cacheperf-walk.js';
import { cacheperfNatively } from '../what-if/native-cacheperf.js';
import { typeOf } from '../what-if/place-objects.js';
import type { SurveyedObjects } from '../what-if/survey-columns.js';
import { arrayName } from './array-candidates.js';
import { verdictOf, type CacheperfVerdict } from './cacheperf-verdict.js';
import type { Problem } from './problem.js';

export interface CacheperfRun {
  readonly trace: OpenedTrace;
  readonly machine: Machine;
  readonly engine: EngineName;
  readonly objects: SurveyedObjects;
  /** As in AdviceRequest. */
  readonly recordTypes: ReadonlyMap<string, number>;
}

export async function cacheperfVerdicts(run: CacheperfRun, problems: readonly Problem[]): Promise<CacheperfVerdict[]> {
  if (problems.length === 0) return [];
  const { trace, machine, engine, objects, recordTypes } = run;
  const keys = [...new Set(problems.map((problem) => keyOf(problem, recordTypes)))];
  const { lineBytes, l1 } = machine;
  const request: CacheperfRequest = {
    ...rowsOf(trace.catalog, objects, keys),
    rows: keys.length,
    lineBytes,
    sets: setsOf(l1, lineBytes),
    ways: l1.ways,
    window: WINDOW,
    crowd: CROWD,
  };
  const input = replayInput(trace, machine, { kind: 'logical' });
  const counts = engine === 'ts' ? cacheperfWalk(input, request) : await cacheperfNatively(input, request);
  return problems.map((problem) => verdictOf(counts, keys.indexOf(keyOf(problem, recordTypes))));
}

/** A struct by its type, an array or variable by its name, null if it has none: all problems of one are one row. */
type Key = number | string | null;

function keyOf(problem: Problem, recordTypes: ReadonlyMap<string, number>): Key {
  return recordTypes.get(problem.type) ?? arrayName(problem);
}

/** What a line allocates, and a variable, are one key's: the first that one of their objects has. */
function rowsOf(
  catalog: Catalog,
  objects: SurveyedObjects,
  keys: readonly Key[],
): Pick<CacheperfRequest, 'rowOfSlot' | 'rowOfVariable'> {
  const rowOfSlot = new Uint32Array(catalog.slots.kind.length);
  const rowOfVariable = new Uint32Array(catalog.variables.name.length);
  /** By allocation slot or, below 0, by variable: the row of the name. */
  const named = new Map<number, number>();
  for (let object = 0; object < objects.count; object++) {
    const [slot, variable] = [objects.allocationSlot[object], objects.variable[object]];
    const [rows, at, origin] = slot === NO_INDEX ? [rowOfVariable, variable, -1 - variable] : [rowOfSlot, slot, slot];
    if (rows[at] > 0 || origin === -1) continue;
    let row = named.get(origin);
    if (row === undefined) {
      const names = namesOf(catalog, objects, object);
      row = 1 + keys.findIndex((key) => typeof key === 'string' && names.includes(key));
      named.set(origin, row);
    }
    rows[at] = 1 + keys.indexOf(typeOf(objects, object)) || row;
  }
  return { rowOfSlot, rowOfVariable };
}
