// Stage: command line. The flags of `dprof validate --resample` -> what samplers drew.

import type { Command } from 'commander';
import { DprofError } from '../base/dprof-error.js';
import type { Resampling } from '../hardware/validate/resample.js';
import { onlyMachine, parseReplayFlags, type ReplayFlags } from './machine-options.js';
import { resampleTrace } from './resample-trace.js';
import { withTraceFiles } from './trace-source.js';

const DEFAULT_SAMPLES = 100_000;
const DEFAULT_SKID = 10;
const DEFAULT_SEED = 1;
const DRAWING = ['samples', 'period', 'skid'] as const;

export interface ResampleFlags {
  readonly samples?: string;
  readonly period?: string;
  readonly skid?: string;
}

export function addResampleFlags(command: Command): Command {
  return command
    .option('--samples <n>', `with --resample: samples of each sampler, about (default: ${DEFAULT_SAMPLES})`)
    .option(
      '--period <n>',
      'with --resample: accesses, loads or cycles from one sample to the next, instead of --samples',
    )
    .option(
      '--skid <n>',
      `with --resample: instructions by which skid is late (default: ${DEFAULT_SKID}); --seed sets the draw`,
    );
}

export function refuseResampleFlags(flags: ResampleFlags): void {
  const alone = DRAWING.find((flag) => flags[flag] !== undefined);
  if (alone !== undefined)
    throw new DprofError(`--${alone} does nothing without --resample`, 'dprof validate --resample TRACE', 2);
}

export async function resample(trace: string, flags: ResampleFlags & ReplayFlags): Promise<Resampling> {
  if (flags.schedules !== undefined)
    throw new DprofError(
      '--schedules does nothing here: samples are drawn from one order',
      'name it: --schedule random:1',
      2,
    );
  if (flags.samples !== undefined && flags.period !== undefined)
    throw new DprofError('--samples and --period say the same in two ways', 'give one of them', 2);
  const asked = {
    samples: wholeNumber('--samples', flags.samples ?? String(DEFAULT_SAMPLES), 1, 1e8),
    period: flags.period === undefined ? undefined : wholeNumber('--period', flags.period, 1, 1e12),
    skid: wholeNumber('--skid', flags.skid ?? String(DEFAULT_SKID), 0, 1e6),
    seed: wholeNumber('--seed', flags.seed ?? String(DEFAULT_SEED), 0, 2 ** 32 - 1),
  };
  const request = parseReplayFlags(flags);
  onlyMachine(request);
  return withTraceFiles([trace], (paths) => resampleTrace(paths, request, trace, asked));
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  if (/^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new DprofError(
    `${flag}: '${text}' is not a whole number from ${least} to ${most}`,
    `for example ${flag} ${Math.max(least, 10)}`,
    2,
  );
}
