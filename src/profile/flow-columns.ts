// Stage: replay -> profile. The flow of an engine becomes that of the profile: readings, labels, slots and places by
// their names.

import { NO_OBJECT_KIND, type FlowTables } from '../contract/flow-result.js';
import type { PathBy } from '../replay/places.js';
import { OBJECT_KINDS, type LabelTable } from '../contract/result.js';
import type { Flow, FlowFacts } from './flow.js';
import { FlowRows } from './flow-rows.js';
import { LabelTypes } from './label-columns.js';
import type { RowNames } from './row-names.js';
import type { Renumber } from './table-rows.js';

const heap = OBJECT_KINDS.indexOf('heap');

export function buildFlow(
  flow: FlowTables,
  labels: LabelTable,
  names: RowNames,
  facts: FlowFacts,
): (renumber: Renumber) => Flow {
  const rows = new FlowRows('run');
  const typeOf = namedOnDemand((reading) => readingType(flow, reading, names));
  addPaths(rows, flow, typeOf, names, facts.by);
  const { otherPaths, residency, objectBins, missBins, linesPerSet } = flow;
  rows.otherPaths.addResult(otherPaths, (row) => ({ type: typeOf(otherPaths.reading[row]) }));
  rows.residency.addResult(residency, (row) => ({ level: residency.level[row], type: typeOf(residency.reading[row]) }));
  rows.objectBins.addResult(objectBins, (row) => ({
    level: objectBins.level[row],
    type: typeOf(objectBins.reading[row]),
    bin: objectBins.bin[row],
  }));
  const labelTypes = new LabelTypes(labels, names);
  rows.missBins.addResult(missBins, (row) => ({
    level: missBins.level[row],
    type: labelTypes.type(missBins.label[row]),
    bin: missBins.bin[row],
  }));
  rows.setLines = Float64Array.from(linesPerSet.flatMap((lines) => [...lines]));
  return (renumber) => rows.freeze(facts, renumber);
}

/** Engines list readings that no row has. A name of theirs would be in the profile of one engine only. */
function namedOnDemand(name: (reading: number) => number): (reading: number) => number {
  const types = new Map<number, number>();
  return (reading) => {
    let type = types.get(reading);
    if (type === undefined) types.set(reading, (type = name(reading)));
    return type;
  };
}

function readingType(
  { readings: { kind, type, allocationSlot, sizeBytes, isPool } }: FlowTables,
  reading: number,
  names: RowNames,
): number {
  if (kind[reading] === NO_OBJECT_KIND) return names.noObject();
  if (type[reading] !== 0) return names.rowType(type[reading]);
  // Only heap objects have a size here.
  if (isPool[reading] === 1) return names.poolType(allocationSlot[reading], sizeBytes[reading]);
  return sizeBytes[reading] === 0 ? names.untyped() : names.siteType(allocationSlot[reading], sizeBytes[reading]);
}

function addPaths(
  rows: FlowRows,
  { readings, paths, steps }: FlowTables,
  typeOf: (reading: number) => number,
  names: RowNames,
  by: PathBy,
): void {
  const kind = paths.reading.map((reading) => readings.kind[reading]);
  const variable = paths.reading.map((reading, row) => (kind[row] === heap ? 0 : readings.variable[reading]));
  const siteOf = namedOnDemand((place) => names.placeSite(place, by));
  rows.addPaths(
    {
      ...paths,
      kind,
      type: paths.reading.map(typeOf),
      variable: variable.map((number) => names.variableName(number)),
      site: variable.map((number, row) =>
        kind[row] === heap
          ? names.allocationSite(paths.callPath[row], paths.allocationSlot[row])
          : names.variableSite(number),
      ),
      freeSite: paths.freeSlot.map((slot) => names.slotSite(slot)),
    },
    { ...steps, site: steps.place.map(siteOf) },
    paths.firstStep,
  );
}
