// The flow of a replay as rows of text that are equal when every number is: readings and labels spelled out, since
// engines number them as they like; paths with their steps, in the order in which they were met; other rows sorted.

import type { FlowTables } from '../../src/contract/flow-result.js';
import { LEVELS, SERVERS } from '../../src/contract/machine.js';
import type { LabelTable } from '../../src/contract/result.js';

export function describeFlow(flow: FlowTables, labels: LabelTable): string[] {
  const { readings, paths, steps, otherPaths, residency, objectBins, missBins, linesPerSet } = flow;
  const reading = (row: number): string =>
    `(${readings.kind[row]} ${readings.type[row]} ${readings.variable[row]} ${readings.allocationSlot[row]} ` +
    `${readings.sizeBytes[row]})`;
  const label = (row: number): string =>
    `(${labels.kind[row]} ${labels.type[row]} ${labels.allocationSlot[row]} ${labels.sizeBytes[row]})`;
  const step = (row: number): string => {
    const served = steps.served.subarray(row * SERVERS.length, (row + 1) * SERVERS.length).join(',');
    return (
      `[${steps.place[row]} ${steps.changesCore[row]} ${served} ${steps.latencyCycles[row]} ${steps.time[row]} ` +
      `${steps.beginOffset[row]}-${steps.endOffset[row]}]`
    );
  };
  const rows = ({ count }: { readonly count: number }, spell: (row: number) => string): string[] =>
    Array.from({ length: count }, (_, row) => spell(row));
  return [
    ...rows(paths, (row) => {
      const own = Array.from({ length: paths.steps[row] }, (_, at) => step(paths.firstStep[row] + at));
      return (
        `path ${row} ${reading(paths.reading[row])} ${paths.allocationSlot[row]}<${paths.callPath[row]} ` +
        `end=${paths.end[row]} ${paths.freeSlot[row]} flags=${paths.flags[row]} lives=${paths.lives[row]} lifetime=` +
        `${paths.lifetime[row]} ${own.join(' ')}`
      );
    }),
    `steps ${steps.count}`,
    ...rows(
      otherPaths,
      (row) => `other paths ${reading(otherPaths.reading[row])} ${otherPaths.lives[row]} ${otherPaths.references[row]}`,
    ).sort(),
    ...rows(
      residency,
      (row) =>
        `residency ${residency.level[row]} ${reading(residency.reading[row])} ${residency.lineTime[row]} ` +
        `${residency.freedLineTime[row]}`,
    ).sort(),
    ...rows(
      objectBins,
      (row) =>
        `object bin ${objectBins.level[row]} ${reading(objectBins.reading[row])} ${objectBins.bin[row]} ` +
        `${objectBins.lines[row]} ${objectBins.objects[row]}`,
    ).sort(),
    ...rows(
      missBins,
      (row) =>
        `miss bin ${missBins.level[row]} ${label(missBins.label[row])} ${missBins.bin[row]} ${missBins.misses[row]}`,
    ).sort(),
    ...LEVELS.map((level, at) => `lines per set ${level} ${linesPerSet[at].join(' ')}`),
  ];
}
