// Stage: command line. `dprof diff`: two runs compared, from traces (which it replays) or profiles; printed, or written
// as one HTML page.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { buildDiff } from '../diff/diff.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { requireTypeOfEither } from '../views/row-filter.js';
import { STANDARD_INPUT } from './byte-stream.js';
import { addComparisonFlags, checkComparisonFlags, deliverComparison, type ComparisonFlags } from './comparison.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import {
  addWindowedReplayFlags,
  onlyMachine,
  parseReplayFlags,
  refuseReplayFlags,
  type ReplayFlags,
  type ReplayRequest,
} from './machine-options.js';
import { readNamed } from './merge-command.js';
import { hasMagic } from './has-magic.js';
import { replayTrace } from './replay-trace.js';
import { areSamples, sampledProfiles } from './sampled-source.js';
import { withTraceFiles } from './trace-source.js';
import type { NamedProfile } from '../profile/mergeable.js';

interface DiffFlags extends ReplayFlags, FlowFlags, ComparisonFlags {}

const SIDE = 'trace that dprof record wrote (or a folder of processes, or -: standard input), or a profile';

export function addDiffCommand(program: Command): void {
  const command = program
    .command('diff')
    .description('compare two runs by type and field, largest change first')
    .argument('<before>', SIDE)
    .argument('<after>', 'likewise');
  addWindowedReplayFlags(addFlowFlags(addComparisonFlags(command)), { keepsProfiles: true }).action(
    async (before: string, after: string, flags: DiffFlags) => {
      checkComparisonFlags(flags);
      if (before === STANDARD_INPUT && after === STANDARD_INPUT)
        throw new DprofError('standard input is one trace', 'name the other as a file', 2);
      const request = {
        ...parseReplayFlags(flags),
        flow: parseFlowFlags(flags, { isWanted: true, isOneSchedule: true }),
      };
      onlyMachine(request);
      const sides = [await openSide(before, request), await openSide(after, request)];
      // Flags that are for neither would pass unseen.
      if (sides.every(({ isTrace }) => !isTrace))
        refuseReplayFlags(
          flags,
          'for two profiles, which were replayed already',
          'give the traces instead of the profiles',
        );
      const [first, second] = sides;
      if (flags.type !== undefined) requireTypeOfEither([first.profile, second.profile], flags.type);
      await deliverComparison(buildDiff(first, second, flags), flags);
    },
  );
}

interface Side extends NamedProfile {
  readonly isTrace: boolean;
}

async function openSide(name: string, request: ReplayRequest): Promise<Side> {
  return withTraceFiles([name], async (paths): Promise<Side> => {
    const [path] = paths;
    if (paths.length === 1 && hasMagic(path, PROFILE_MAGIC)) return { name, profile: readNamed(path), isTrace: false };
    if (areSamples(paths)) return { name, profile: sampledProfiles(paths, [name], {}, request)[0], isTrace: true };
    const [profile] = await replayTrace(paths, request, name);
    return { name, profile, isTrace: true };
  });
}
