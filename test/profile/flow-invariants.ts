// Stage: profile. What must hold in the flow of every profile; `expect` hears each sum and what it must be,
// `expectAtMost` each limit.

import { completeMachine } from '../../src/contract/complete-machine.js';
import { LEVELS, SERVERS } from '../../src/contract/machine.js';
import { setBinsOf } from '../../src/contract/result.js';
import { listObjects } from '../../src/profile/object-source.js';
import type { Profile } from '../../src/profile/profile.js';

type Expect = (what: string, actual: number, expected: number) => void;

export function checkFlowSums(profile: Profile, expect: Expect, expectAtMost: Expect): void {
  const { flow, totals, machine } = profile;
  if (flow === undefined) return;
  const { paths, steps, otherPaths, residency, objectBins, missBins, sets } = flow;
  const [lives, references] = [{ sum: 0 }, { sum: 0 }];
  for (const { objects } of listObjects(profile)) {
    lives.sum += add(objects.lives);
    references.sum += add(objects.references);
  }
  expect('lives of all paths', add(paths.lives) + add(otherPaths.lives), lives.sum);
  expect('references of all steps', add(steps.served) + add(otherPaths.references), references.sum);
  const inStep = (server: number): number =>
    steps.served.reduce((total, count, at) => total + (at % SERVERS.length === server ? count : 0), 0);
  expectAtMost('references of steps that hit the L1', inStep(0), totals.hits[0]);
  const { cores, coresPerL1, coresPerL2 } = completeMachine(machine);
  const units = {
    l1: Math.ceil(cores / coresPerL1),
    l2: Math.ceil(cores / coresPerL2),
    llc: Math.ceil(cores / machine.coresPerLlc),
  };
  let firstSet = 0;
  LEVELS.forEach((level, index) => {
    const isOf =
      (table: { readonly level: Uint8Array }) =>
      (value: number, row: number): number =>
        table.level[row] === index ? value : 0;
    expect(`${level} misses of all bins`, add(missBins.misses.map(isOf(missBins))), totals.fills[index]);
    const { sets: count, setsPerBin, bins } = setBinsOf(machine[level], machine.lineBytes);
    const lineTime = add(residency.lineTime.map(isOf(residency))) + add(residency.freedLineTime.map(isOf(residency)));
    expectAtMost(`${level} line time`, lineTime, count * machine[level].ways * units[level] * totals.instructions);
    const ofTypes = new Float64Array(bins);
    objectBins.lines.forEach((lines, row) => {
      if (objectBins.level[row] === index) ofTypes[objectBins.bin[row]] += lines;
    });
    const ofSets = new Float64Array(bins);
    for (let set = 0; set < count; set++) ofSets[Math.floor(set / setsPerBin)] += sets.lines[firstSet + set];
    // A line may be of objects of several types. Of several runs a set has the most of any run, and a bin of several
    // sets may have them from several.
    if (profile.runs === undefined || setsPerBin === 1)
      ofSets.forEach((lines, bin) => expectAtMost(`${level} lines of bin ${bin}`, lines, ofTypes[bin]));
    firstSet += count;
  });
}

function add(column: Float64Array): number {
  return column.reduce((total, value) => total + value, 0);
}
