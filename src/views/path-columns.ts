// Stage: profile -> views. Columns of the page of path traces: a table of a type's paths, and one of a path's steps.

import type {
  PathStep,
  PathTraceRow,
  PathTraces,
  SampledPathRow,
  SampledPathStep,
  SampledPathTraces,
} from './path-rows.js';
import { estimateOf } from '../base/estimate.js';
import { serversOf, type Server } from '../contract/machine.js';
import { column, count, flag, measure, name, place, share, type Column } from './columns.js';
import { SERVER_WORDS } from './server-words.js';

type AnyPath = PathTraceRow | SampledPathRow;
type AnyStep = PathStep | SampledPathStep;

export function pathRowColumns(spellPath: (row: AnyPath) => string): Column<AnyPath>[] {
  return [
    column('name', 'path', 'path', spellPath, { width: 90 }),
    count('objects', 'frequency', { meaning: 'lives of objects that took this path' }),
    count('steps', 'steps.length'),
    column('words', 'end', 'ended', ({ end }: AnyPath) => end, {
      width: 8,
      meaning: 'freed; alive at the end of the run; or ended otherwise, with its frame or its thread',
    }),
    flag('cut', 'cut', { meaning: 'it had more steps than are kept' }),
  ];
}

export function stepColumns({ machine, sampled }: PathTraces | SampledPathTraces): Column<AnyStep>[] {
  return [
    sampled === undefined
      ? measure('average', 'average time', 'averageTimeSinceAllocationInstructions', {
          meaning: 'instructions of replay time since the allocation',
        })
      : column(
          'nanoseconds',
          'averageTimeSinceAllocationNanoseconds',
          'average time',
          (step: AnyStep) => ('intervals' in step ? step.averageTimeSinceAllocationNanoseconds : null),
          { meaning: 'since the allocation' },
        ),
    name('function', 'function', { width: 30, nothing: '(cut)' }),
    flag('core change', 'coreChange', { width: 11 }),
    column('words', 'offsets', 'offsets', ({ offsets }: AnyStep) => `${offsets[0]}-${offsets[1]}`, {
      width: 12,
      meaning: 'bytes of the object, from the lowest up to behind the highest',
    }),
    count('references', 'references'),
    ...serversOf(machine).map((server) => servedColumn(server, sampled !== undefined)),
    measure('cycles', 'access time', 'averageLatencyCycles', {
      meaning: 'average latency of a reference, in cycles',
    }),
    ...(sampled === undefined
      ? []
      : [
          column('count', 'samples', 'samples', (step: AnyStep) => ('samples' in step ? step.samples.served : null), {
            meaning: 'that say who served; 0: no sample met the step',
          }),
        ]),
    place('at', { width: 22 }),
  ];
}

/** Samples count what they met, not the references of the step: they say shares alone. */
function servedColumn(server: Server, isSampled: boolean): Column<AnyStep> {
  const words = { meaning: `references served ${SERVER_WORDS[server]}` };
  if (!isSampled) return share(SERVER_WORDS[server], `served.${server}`, { paths: ['references'] }, words);
  return column(
    'share',
    `hit.${server}`,
    SERVER_WORDS[server],
    ({ hit, ...step }: AnyStep) =>
      hit === null || !('intervals' in step) ? null : estimateOf(hit[server] ?? 0, step.intervals.hit?.[server]),
    words,
  );
}
