// Stage: command line. `--path-by`, `--most-paths`, `--most-steps`, `--no-flow`: what of the flow a replay collects.
// docs/data-flow.md.

import { Option, type Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import { DEFAULT_MOST_PATHS, DEFAULT_MOST_STEPS, MOST_STEPS } from '../contract/flow-result.js';
import { PATHS_BY, type FlowFacts, type PathBy } from '../replay/places.js';

export interface FlowFlags {
  readonly pathBy?: string;
  readonly mostPaths?: string;
  readonly mostSteps?: string;
  /** false: --no-flow. */
  readonly flow?: boolean;
}

export const DEFAULT_FLOW: FlowFacts = { by: 'function', mostPaths: DEFAULT_MOST_PATHS, mostSteps: DEFAULT_MOST_STEPS };

export const FLOW_FLAGS = ['path-by', 'most-paths', 'most-steps', 'no-flow'];

export function addFlowFlags(command: Command): Command {
  const heading = 'Paths and working set (docs/data-flow.md):';
  return command
    .addOption(
      new Option('--path-by <what>', 'unit of a path step: function (default), line, or ip (one access)').helpGroup(
        heading,
      ),
    )
    .addOption(
      new Option('--most-paths <n>', `distinct paths to keep, at most (default: ${DEFAULT_MOST_PATHS})`).helpGroup(
        heading,
      ),
    )
    .addOption(
      new Option(
        '--most-steps <n>',
        `steps of a path to tell, at most ${MOST_STEPS} (default: ${DEFAULT_MOST_STEPS})`,
      ).helpGroup(heading),
    )
    .addOption(
      new Option(
        '--no-flow',
        'leave out paths, residency and sets, which working-set, path-traces and data-flow show',
      ).helpGroup(heading),
    );
}

/**
 * undefined: no flow is collected. `isWanted`: the command collects it by default. Under several schedules no paths are
 * collected.
 */
export function parseFlowFlags(
  flags: FlowFlags,
  { isWanted, isOneSchedule }: { readonly isWanted: boolean; readonly isOneSchedule: boolean },
): FlowFacts | undefined {
  const { pathBy = DEFAULT_FLOW.by, mostPaths, mostSteps, flow = true } = flags;
  if (!isPathBy(pathBy))
    throw new DprofError(`--path-by: '${pathBy}' is nothing that a step can be in`, `use ${PATHS_BY.join(', ')}`, 2);
  if (mostPaths !== undefined && !/^[1-9]\d{0,8}$/.test(mostPaths))
    throw new DprofError(
      `--most-paths: '${mostPaths}' is not a positive whole number`,
      `for example --most-paths ${DEFAULT_MOST_PATHS}`,
      2,
    );
  if (mostSteps !== undefined && !(/^[1-9]\d{0,2}$/.test(mostSteps) && Number(mostSteps) <= MOST_STEPS))
    throw new DprofError(
      `--most-steps: '${mostSteps}' is no number from 1 to ${MOST_STEPS}`,
      `for example --most-steps ${MOST_STEPS}`,
      2,
    );
  const given = givenFlag(flags);
  if (given !== undefined && !flow)
    throw new DprofError(`${given} does nothing with --no-flow`, 'leave one of them out', 2);
  if (given !== undefined && !isOneSchedule)
    throw new DprofError(
      `${given} does nothing with --schedules, which collects no paths`,
      'replay under one schedule',
      2,
    );
  if (given !== undefined && !isWanted)
    throw new DprofError(
      `${given} does nothing for this view, which shows no paths`,
      'give --view path-traces, data-flow or working-set',
      2,
    );
  return flow && isWanted && isOneSchedule
    ? {
        by: pathBy,
        mostPaths: Number(mostPaths ?? DEFAULT_FLOW.mostPaths),
        mostSteps: Number(mostSteps ?? DEFAULT_FLOW.mostSteps),
      }
    : undefined;
}

/** The first one that says what paths are to be like. */
function givenFlag({ pathBy, mostPaths, mostSteps }: FlowFlags): string | undefined {
  if (pathBy !== undefined) return '--path-by';
  return mostPaths !== undefined ? '--most-paths' : mostSteps !== undefined ? '--most-steps' : undefined;
}

function isPathBy(name: string): name is PathBy {
  return (PATHS_BY as readonly string[]).includes(name);
}
