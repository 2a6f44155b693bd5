// Stage: profiles -> profile. The flows of several runs as one: paths that read the same added, times and misses too;
// lines and objects of sets are the largest of any run, since each run has memory of its own.

import { NO_INDEX } from '../base/ids.js';
import { SERVERS } from '../replay/machine.js';
import type { Flow } from './flow.js';
import { FlowRows, type StepRow } from './flow-rows.js';
import type { Renumber } from './profile-builder.js';

/** At least one; `numbers`: of the names of each. */
export function mergeFlows(flows: readonly Flow[], numbers: readonly Renumber[], renumber: Renumber): Flow {
  const rows = new FlowRows('largest');
  flows.forEach((flow, index) => addFlow(rows, flow, numbers[index]));
  return rows.freeze(
    { by: flows[0].by, mostPaths: flows.reduce((most, { mostPaths }) => Math.max(most, mostPaths), 0) },
    renumber,
  );
}

function addFlow(
  rows: FlowRows,
  { paths, steps, otherPaths, residency, objectBins, missBins, sets }: Flow,
  { type, string, site }: Renumber,
): void {
  const step = (row: number): StepRow => ({
    site: steps.site[row] === NO_INDEX ? NO_INDEX : site(steps.site[row]),
    changesCore: steps.changesCore[row],
    served: [...steps.served.subarray(row * SERVERS.length, (row + 1) * SERVERS.length)],
    latencyCycles: steps.latencyCycles[row],
    time: steps.time[row],
    beginOffset: steps.beginOffset[row],
    endOffset: steps.endOffset[row],
  });
  let next = 0;
  for (let row = 0; row < paths.type.length; row++) {
    const first = next;
    next += paths.steps[row];
    rows.addPath({
      kind: paths.kind[row],
      type: type(paths.type[row]),
      variable: string(paths.variable[row]),
      site: site(paths.site[row]),
      end: paths.end[row],
      freeSite: site(paths.freeSite[row]),
      flags: paths.flags[row],
      lives: paths.lives[row],
      lifetime: paths.lifetime[row],
      steps: Array.from({ length: paths.steps[row] }, (_, at) => step(first + at)),
    });
  }
  otherPaths.type.forEach((own, row) =>
    rows.otherPaths.add(0, type(own), 0, otherPaths.lives[row], otherPaths.references[row]),
  );
  residency.type.forEach((own, row) =>
    rows.residency.add(residency.level[row], type(own), 0, residency.lineTime[row], residency.freedLineTime[row]),
  );
  objectBins.type.forEach((own, row) =>
    rows.objectBins.add(
      objectBins.level[row],
      type(own),
      objectBins.bin[row],
      objectBins.lines[row],
      objectBins.objects[row],
    ),
  );
  missBins.type.forEach((own, row) =>
    rows.missBins.add(missBins.level[row], type(own), missBins.bin[row], missBins.misses[row], 0),
  );
  rows.setLines = sets.lines.map((lines, set) => Math.max(lines, rows.setLines[set] ?? 0));
}
