// Stage: profile -> views. Path traces: each distinct path that objects took, with its frequency, and per step what
// DProf's Table 1 shows.

import { NO_INDEX } from '../base/ids.js';
import { CUT, FREED_ON_OTHER_CORE, type Flow } from '../profile/flow.js';
import { OBJECT_KINDS, type Profile } from '../profile/profile.js';
import type { SampledPart } from '../profile/sampled.js';
import { PATH_ENDS } from '../contract/flow-result.js';
import { SERVERS, serversOf, type Server } from '../contract/machine.js';
import { wrapRows } from './envelope.js';
import { flowNotes, flowTotals, requireFlow } from './flow-facts.js';
import { sampledPath, sampledStep } from './sampled-paths.js';
import { spellFunction, spellName, spellSite } from './sites.js';
import { formatCount } from '../base/format-number.js';
import { pathColumns, pathLines } from './path-lines.js';
import type { ViewDefinition } from './view-definition.js';
import type {
  PathFacts,
  PathStep,
  PathTraces,
  SampledPathRow,
  SampledPathStep,
  SampledPathTraces,
} from './path-rows.js';

export function buildPathTraces(profile: Profile): PathTraces {
  const flow = requireFlow(profile, 'path traces');
  const rows = listPaths(profile, flow, exactStep, (row, lives) => ({
    averageLifetimeInstructions: flow.paths.lifetime[row] / lives,
  }));
  return { ...wrapRows(profile, 'path-traces', rows), flow: flowTotals(flow) };
}

function sampledPathRows(profile: Profile, sampled: SampledPart): SampledPathRow[] {
  const flow = requireFlow(profile, 'path traces');
  return listPaths(
    profile,
    flow,
    (_, __, servers, row, lives): SampledPathStep => ({
      ...exactStep(profile, flow, servers, row, lives),
      averageTimeSinceAllocationInstructions: null,
      ...sampledStep(flow, sampled, servers, row, flow.steps.time[row] / lives),
    }),
    (row) => ({ averageLifetimeInstructions: null, ...sampledPath(flow, sampled, row) }),
  );
}

type MakeStep<Step> = (profile: Profile, flow: Flow, servers: readonly Server[], row: number, lives: number) => Step;

/** By frequency, then by the cycles that all its references took, then by type and content. */
function listPaths<Step, More>(
  profile: Profile,
  flow: Flow,
  makeStep: MakeStep<Step>,
  more: (row: number, lives: number) => More,
): (PathFacts & { readonly steps: readonly Step[] } & More)[] {
  const { paths } = flow;
  const firstStep = firstSteps(flow);
  const cycles = Float64Array.from(paths.steps, (count, row) =>
    flow.steps.latencyCycles.subarray(firstStep[row], firstStep[row] + count).reduce((sum, own) => sum + own, 0),
  );
  const servers = serversOf(profile.machine);
  const order = Array.from(paths.type.keys()).sort(
    (a, b) => paths.lives[b] - paths.lives[a] || cycles[b] - cycles[a] || a - b,
  );
  return order.map((row) => {
    const lives = paths.lives[row];
    const kind = OBJECT_KINDS[paths.kind[row]];
    return {
      type: profile.strings[profile.types.name[paths.type[row]]],
      kind,
      variable: spellName(profile, paths.variable[row]),
      frequency: lives,
      allocatedBy: kind === 'heap' ? spellFunction(profile, paths.site[row]) : null,
      allocatedAt: spellSite(profile, paths.site[row]),
      // Made anew whenever it is asked for: those of all paths together may be millions.
      get steps() {
        return Array.from({ length: paths.steps[row] }, (_, at) =>
          makeStep(profile, flow, servers, firstStep[row] + at, lives),
        );
      },
      end: PATH_ENDS[paths.end[row]],
      freedBy: spellFunction(profile, paths.freeSite[row]),
      freedAt: spellSite(profile, paths.freeSite[row]),
      freedOnAnotherCore: (paths.flags[row] & FREED_ON_OTHER_CORE) !== 0,
      cut: (paths.flags[row] & CUT) !== 0,
      ...more(row, lives),
    };
  });
}

/** By path: the row of its first step. */
export function firstSteps({ paths }: Flow): Uint32Array {
  let next = 0;
  return paths.steps.map((count) => (next += count) - count);
}

function exactStep(profile: Profile, flow: Flow, servers: readonly Server[], row: number, lives: number): PathStep {
  const { steps } = flow;
  const site = steps.site[row];
  const isCut = site === NO_INDEX;
  let references = 0;
  for (let at = row * SERVERS.length; at < (row + 1) * SERVERS.length; at++) references += steps.served[at];
  const [served, hit]: [Partial<Record<Server, number>>, Partial<Record<Server, number>>] = [{}, {}];
  for (const server of servers) {
    const count = steps.served[row * SERVERS.length + SERVERS.indexOf(server)];
    served[server] = count;
    hit[server] = count / references;
  }
  const { file, line } = isCut ? NOWHERE : placeOf(profile, site);
  return {
    function: isCut ? null : spellFunction(profile, site),
    file,
    line,
    cut: isCut,
    coreChange: steps.changesCore[row] === 1,
    offsets: [steps.beginOffset[row], steps.endOffset[row]],
    averageTimeSinceAllocationInstructions: steps.time[row] / lives,
    references,
    served,
    hit,
    averageLatencyCycles: steps.latencyCycles[row] / references,
  };
}

const NOWHERE = { file: null, line: null } as const;

export function placeOf(
  { sites, strings }: Profile,
  site: number,
): { readonly file: string | null; readonly line: number | null } {
  const file = strings[sites.file[site]];
  return file === '' ? { file: null, line: null } : { file, line: sites.line[site] };
}

/**
 * Steps, each with what its path says; a path without steps has one row. Made while they are read, as often as they
 * are.
 */
function* csvRows({ rows, machine, sampled }: PathTraces | SampledPathTraces): Generator<object> {
  const none = Object.fromEntries(serversOf(machine).map((server) => [server, null]));
  for (const [index, { steps, ...path }] of rows.entries()) {
    const own = steps.length === 0 ? [undefined] : steps;
    yield* own.map((step, at) => ({
      path: index + 1,
      ...path,
      step: step === undefined ? null : at + 1,
      function: step?.function ?? null,
      file: step?.file ?? null,
      line: step?.line ?? null,
      stepCut: step?.cut ?? null,
      coreChange: step?.coreChange ?? null,
      beginOffset: step?.offsets[0] ?? null,
      endOffset: step?.offsets[1] ?? null,
      averageTimeSinceAllocationInstructions: step?.averageTimeSinceAllocationInstructions ?? null,
      references: step?.references ?? null,
      averageLatencyCycles: step?.averageLatencyCycles ?? null,
      served: step?.served ?? none,
      ...(sampled !== undefined && sampledCells(step)),
    }));
  }
}

/** The further cells of steps from histories and samples. */
function sampledCells(step: PathStep | SampledPathStep | undefined): object {
  const own = step !== undefined && 'samples' in step ? step : undefined;
  return {
    hit: own?.hit ?? null,
    samples: own?.samples ?? null,
    averageTimeSinceAllocationNanoseconds: own?.averageTimeSinceAllocationNanoseconds ?? null,
    stepIntervals: { intervals: own?.intervals ?? {} },
  };
}

export const pathTraces: ViewDefinition<PathTraces, SampledPathTraces> = {
  build: buildPathTraces,
  needs: 'flow',
  inReport: 'by type',
  sampled: { from: 'histories', rows: sampledPathRows },
  csvRows: (view) => ({ [Symbol.iterator]: () => csvRows(view) }),
  table(view, top) {
    const shown = view.rows.slice(0, top);
    return {
      title: `path traces${view.sampled === undefined ? '' : ', SAMPLED'}: the ways that objects went, by how many`,
      columns: pathColumns(view, shown),
      lines: pathLines(shown),
      empty: view.sampled === undefined ? 'no object lived' : 'no history is whole',
      notes: [`${formatCount(shown.length)} of ${formatCount(view.rows.length)} distinct paths.`],
      remarks: flowNotes(view.flow),
    };
  },
};
