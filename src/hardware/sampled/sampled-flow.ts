// Stage: samples -> profile. Paths of objects and the simulated working set as the profile's flow, so that the views of
// a replay's show them.

import { NO_INDEX } from '../../base/ids.js';
import { CUT, type Flow, type FlowFacts } from '../../profile/flow.js';
import { FlowRows, type PathRow, type StepRow } from '../../profile/flow-rows.js';
import type { Renumber } from '../../profile/profile-builder.js';
import { OBJECT_KINDS } from '../../profile/profile.js';
import type { SampledPathColumns, SampledResidencyColumns, SampledStepColumns } from '../../profile/sampled.js';
import { PATH_ENDS } from '../../contract/flow-result.js';
import { LEVELS, SERVERS, type Machine } from '../../contract/machine.js';
import { setBinsOf } from '../../contract/result.js';
import type { ObjectPath, ObjectStep } from './object-paths.js';
import type { SampledNames } from './sampled-names.js';
import type { PlayedSets } from './simulate-working-set.js';

/** Numbers of the sampled tables, which travel with their rows. */
interface SampledStep extends StepRow {
  readonly sampled: {
    readonly references: number;
    readonly samples: number;
    readonly timed: number;
    readonly latencyVariance: number;
  };
}

interface SampledPath extends PathRow {
  readonly steps: readonly SampledStep[];
  readonly sampled: { histories: number; readonly ofHistories: number };
}

export interface SampledFlow {
  readonly flow: Flow;
  readonly steps: SampledStepColumns;
  readonly paths: SampledPathColumns;
  readonly residency: SampledResidencyColumns;
}

const heap = OBJECT_KINDS.indexOf('heap');

export interface FlowParts {
  readonly paths: readonly ObjectPath[];
  /** null: nothing could be played. */
  readonly played: PlayedSets | null;
  readonly machine: Machine;
  readonly runNs: number;
  readonly facts: FlowFacts;
}

export function buildSampledFlow(
  { paths, played, machine, runNs, facts }: FlowParts,
  names: SampledNames,
): (renumber: Renumber) => SampledFlow {
  const rows = new FlowRows('run');
  const listed = distinctPaths(paths.map((path) => describePath(path, facts, names)));
  const kept = listed.toSorted((a, b) => b.lives - a.lives).slice(0, facts.mostPaths);
  rows.addRows(kept);
  for (const path of listed.filter((one) => !kept.includes(one)))
    rows.otherPaths.add({
      type: path.type,
      lives: path.lives,
      references: path.steps.reduce((sum, { sampled }) => sum + sampled.references, 0),
    });
  LEVELS.forEach((_, level) => {
    for (const [type, { mean }] of played?.residentLines[level] ?? [])
      rows.residency.add({ level, type, lineTime: mean * runNs, freedLineTime: 0 });
    for (const [type, { lines, objects }] of played?.bins[level] ?? [])
      lines.forEach((count, bin) => {
        if (count > 0) rows.objectBins.add({ level, type, bin, lines: count, objects: objects[bin] });
      });
  });
  rows.setLines = Float64Array.from(
    LEVELS.flatMap((name, level) => [
      ...(played?.setLines[level] ?? new Float64Array(setBinsOf(machine[name], machine.lineBytes).sets)),
    ]),
  );
  return (renumber) => {
    const sorted = Array.from(rows.order(renumber), (number) => kept[number]);
    const steps = sorted.flatMap((path) => path.steps);
    const column = (of: (step: SampledStep) => number): Float64Array => Float64Array.from(steps, of);
    return {
      flow: rows.freeze(facts, renumber),
      steps: {
        references: column(({ sampled }) => sampled.references),
        samples: column(({ sampled }) => sampled.samples),
        timed: column(({ sampled }) => sampled.timed),
        latencyVariance: column(({ sampled }) => sampled.latencyVariance),
      },
      paths: {
        histories: Float64Array.from(sorted, ({ sampled }) => sampled.histories),
        ofHistories: Float64Array.from(sorted, ({ sampled }) => sampled.ofHistories),
      },
      residency: residencyColumns(played, renumber),
    };
  };
}

/** Those that read the same, as places are told, are one: no two rows of the flow are then added up. */
function distinctPaths(paths: readonly SampledPath[]): SampledPath[] {
  const known = new Map<string, SampledPath>();
  for (const path of paths) {
    const { kind, type, site, end, freeSite, flags, steps } = path;
    const key = [
      kind,
      type,
      site,
      end,
      freeSite,
      flags,
      ...steps.map((step) => `${step.changesCore}${step.site}`),
    ].join(' ');
    const same = known.get(key);
    known.set(key, same === undefined ? path : together(same, path));
  }
  return [...known.values()];
}

function together(a: SampledPath, b: SampledPath): SampledPath {
  return {
    ...a,
    lives: a.lives + b.lives,
    lifetime: a.lifetime + b.lifetime,
    sampled: { histories: a.sampled.histories + b.sampled.histories, ofHistories: a.sampled.ofHistories },
    steps: a.steps.map((step, at) => addSteps(step, b.steps[at])),
  };
}

function addSteps(a: SampledStep, b: SampledStep): SampledStep {
  const references = a.sampled.references + b.sampled.references;
  const share = references === 0 ? 0 : a.sampled.references / references;
  return {
    ...a,
    served: Array.from(a.served, (count, server) => count + b.served[server]),
    latencyCycles: a.latencyCycles + b.latencyCycles,
    time: a.time + b.time,
    beginOffset: Math.min(a.beginOffset, b.beginOffset),
    endOffset: Math.max(a.endOffset, b.endOffset),
    sampled: {
      references,
      samples: Math.max(a.sampled.samples, b.sampled.samples),
      timed: Math.max(a.sampled.timed, b.sampled.timed),
      latencyVariance: share ** 2 * a.sampled.latencyVariance + (1 - share) ** 2 * b.sampled.latencyVariance,
    },
  };
}

function describePath(path: ObjectPath, { by, mostSteps }: FlowFacts, names: SampledNames): SampledPath {
  // A path that nearly no object takes is one all the same.
  const lives = Math.max(1, Math.round(path.lives));
  const steps: SampledStep[] = [];
  let wasElsewhere = false;
  let group: ObjectStep[] = [];
  const close = (): void => {
    if (group.length > 0)
      steps.push(
        describeStep(group, lives, names.stepSite(group[0].place, by), Number(group[0].elsewhere !== wasElsewhere)),
      );
    wasElsewhere = group[0]?.elsewhere ?? wasElsewhere;
    group = [];
  };
  const siteOf = (step: ObjectStep): number => names.stepSite(step.place, by);
  for (const [at, step] of path.steps.entries()) {
    const isCut = steps.length >= mostSteps;
    if (
      !isCut &&
      at > 0 &&
      (siteOf(step) !== siteOf(path.steps[at - 1]) || step.elsewhere !== path.steps[at - 1].elsewhere)
    )
      close();
    group.push(step);
  }
  const isCut = steps.length >= mostSteps && group.length > 0;
  if (isCut) steps.push(describeStep(group, lives, NO_INDEX, 0));
  else close();
  return {
    kind: heap,
    type: names.aggregate(path.type),
    variable: NO_INDEX,
    site: names.site(path.allocatedAt),
    end: PATH_ENDS.indexOf(path.isFreed ? 'freed' : 'alive'),
    freeSite: names.site(path.freedAt),
    flags: isCut ? CUT : 0,
    lives,
    lifetime: lives * path.averageLifetimeNs,
    steps,
    sampled: { histories: path.histories, ofHistories: path.ofHistories },
  };
}

/** Steps of one place and core that follow one another; who served is what samples say of those that they met. */
function describeStep(group: readonly ObjectStep[], lives: number, site: number, changesCore: number): SampledStep {
  const served = SERVERS.map(() => 0);
  let [references, known, samples, timed, latency, timedReferences] = [0, 0, 0, 0, 0, 0];
  for (const { accesses, met } of group) {
    references += lives * accesses;
    if (met?.served != null) {
      met.served.forEach((share, server) => (served[server] += share * lives * accesses));
      known += lives * accesses;
      samples += met.samples;
    }
    if (met?.meanLatency != null) {
      timed += met.timed;
      latency += met.meanLatency * accesses;
      timedReferences += accesses;
    }
  }
  const mean = timedReferences === 0 ? 0 : latency / timedReferences;
  const latencyVariance = group.reduce(
    (sum, { accesses, met }) =>
      sum + (met?.meanLatency == null ? 0 : (accesses / timedReferences) ** 2 * met.latencyVariance),
    0,
  );
  return {
    site,
    changesCore,
    served,
    latencyCycles: mean * known,
    time: lives * group[0].time,
    beginOffset: Math.min(...group.map(({ offset }) => offset)),
    endOffset: Math.max(...group.map(({ offset, bytes }) => offset + bytes)),
    sampled: { references, samples, timed, latencyVariance },
  };
}

function residencyColumns(played: PlayedSets | null, { type }: Renumber): SampledResidencyColumns {
  const rows = LEVELS.flatMap((_, level) =>
    Array.from(played?.residentLines[level] ?? [], ([number, { interval }]) => ({
      level,
      type: type(number),
      interval,
    })),
  );
  rows.sort((a, b) => a.level - b.level || a.type - b.type);
  return {
    level: Uint8Array.from(rows, ({ level }) => level),
    type: Uint32Array.from(rows, (row) => row.type),
    low: Float64Array.from(rows, ({ interval }) => interval[0]),
    high: Float64Array.from(rows, ({ interval }) => interval[1]),
  };
}
