// Stage: replay -> profile. The flow of an engine becomes that of the profile: readings, labels, slots and places by
// their names.

import { NO_INDEX } from '../base/ids.js';
import { NO_OBJECT_KIND, type FlowTables } from '../replay/flow-result.js';
import { SERVERS } from '../replay/machine.js';
import type { PathBy } from '../replay/places.js';
import type { LabelTable } from '../replay/result.js';
import type { Flow, FlowFacts } from './flow.js';
import { FlowRows, type StepRow } from './flow-rows.js';
import { LabelTypes } from './label-columns.js';
import type { Renumber } from './profile-builder.js';
import { OBJECT_KINDS } from './profile.js';
import type { RowNames } from './row-names.js';

const heap = OBJECT_KINDS.indexOf('heap');

export function buildFlow(
  flow: FlowTables,
  labels: LabelTable,
  names: RowNames,
  facts: FlowFacts,
): (renumber: Renumber) => Flow {
  const rows = new FlowRows('sum');
  const types = Array.from({ length: flow.readings.count }, (_, reading) => readingType(flow, reading, names));
  addPaths(rows, flow, types, names, facts.by);
  const { otherPaths, residency, objectBins, missBins, linesPerSet } = flow;
  for (let row = 0; row < otherPaths.count; row++)
    rows.otherPaths.add(0, types[otherPaths.reading[row]], 0, otherPaths.lives[row], otherPaths.references[row]);
  for (let row = 0; row < residency.count; row++)
    rows.residency.add(
      residency.level[row],
      types[residency.reading[row]],
      0,
      residency.lineTime[row],
      residency.freedLineTime[row],
    );
  for (let row = 0; row < objectBins.count; row++)
    rows.objectBins.add(
      objectBins.level[row],
      types[objectBins.reading[row]],
      objectBins.bin[row],
      objectBins.lines[row],
      objectBins.objects[row],
    );
  const labelTypes = new LabelTypes(labels, names);
  for (let row = 0; row < missBins.count; row++)
    rows.missBins.add(
      missBins.level[row],
      labelTypes.type(missBins.label[row]),
      missBins.bin[row],
      missBins.misses[row],
      0,
    );
  rows.setLines = Float64Array.from(linesPerSet.flatMap((lines) => [...lines]));
  return (renumber) => rows.freeze(facts, renumber);
}

function readingType(
  { readings: { kind, type, allocationSlot, sizeBytes } }: FlowTables,
  reading: number,
  names: RowNames,
): number {
  if (kind[reading] === NO_OBJECT_KIND) return names.noObject();
  if (type[reading] !== 0) return names.rowType(type[reading]);
  // What has no size is no heap object.
  return sizeBytes[reading] === 0 ? names.untyped() : names.siteType(allocationSlot[reading], sizeBytes[reading]);
}

function addPaths(
  rows: FlowRows,
  { readings, paths, steps }: FlowTables,
  types: readonly number[],
  names: RowNames,
  by: PathBy,
): void {
  const step = (row: number): StepRow => ({
    site: placeSite(steps.place[row], names, by),
    changesCore: steps.changesCore[row],
    served: [...steps.served.subarray(row * SERVERS.length, (row + 1) * SERVERS.length)],
    latencyCycles: steps.latencyCycles[row],
    time: steps.time[row],
    beginOffset: steps.beginOffset[row],
    endOffset: steps.endOffset[row],
  });
  for (let row = 0; row < paths.count; row++) {
    const reading = paths.reading[row];
    const kind = readings.kind[reading];
    const variable = kind === heap ? 0 : readings.variable[reading];
    rows.addPath({
      kind,
      type: types[reading],
      variable: names.variableName(variable),
      site: kind === heap ? names.slotSite(paths.allocationSlot[row]) : names.variableSite(variable),
      end: paths.end[row],
      freeSite: names.slotSite(paths.freeSlot[row]),
      flags: paths.flags[row],
      lives: paths.lives[row],
      lifetime: paths.lifetime[row],
      steps: Array.from({ length: paths.steps[row] }, (_, at) => step(paths.firstStep[row] + at)),
    });
  }
}

/** A function is where it is defined, whichever of its accesses stands for it. */
function placeSite(place: number, names: RowNames, by: PathBy): number {
  if (place === NO_INDEX) return NO_INDEX;
  const { slots, functions } = names.catalog;
  const own = slots.function[place];
  if (by === 'ip') return names.slotSite(place);
  if (by === 'function')
    return names.sites.intern(functions.name[own] ?? '', functions.file[own] ?? '', functions.line[own] ?? 0, 0);
  return names.sites.intern(functions.name[own] ?? '', slots.file[place], slots.line[place], 0);
}
