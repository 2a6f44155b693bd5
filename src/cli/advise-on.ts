// Stage: command line -> advice. A trace file and what is asked of it: the advice, and what stands above it.

import { basename } from 'node:path';
import type { AdviceHead } from '../advise/advice-json.js';
import { DEFAULT_THRESHOLDS } from '../advise/thresholds.js';
import { DprofError } from '../base/dprof-error.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import { adviseTrace, type Advised } from './advise-trace.js';
import { hasMagic } from './has-magic.js';
import { withLarger } from './larger-machine.js';
import type { ReplayRequest } from './machine-options.js';
import { measuredCpi, priceTrace } from './priced-code.js';
import { machinesFor, openFor } from './replay-trace.js';
import { ordersOf } from './schedules.js';

const SCHEDULES = 8;

export interface AskedAdvice {
  /** Of all estimated cycles: what costs less is left out. */
  readonly share: number;
  readonly leastGain: number;
  readonly top: number;
  /** Cycles of an instruction where nothing misses; null: to be measured. */
  readonly cpi: number | null;
}

/** `named`: the trace as the user calls it. */
export async function adviceOn(
  path: string,
  named: string,
  request: ReplayRequest,
  { share, leastGain, top, cpi: given }: AskedAdvice,
): Promise<Pick<Advised, 'advice' | 'trials'> & { readonly head: AdviceHead }> {
  if (hasMagic(path, PROFILE_MAGIC))
    throw new DprofError(`${named} is a profile`, 'name the trace: changes are tried on every access', 2);
  const trace = openFor([path], request);
  const { requests, names } = withLarger(trace, request.machines);
  const machines = machinesFor(trace, requests, names);
  const schedules = ordersOf(trace, request.schedule, request.schedules ?? SCHEDULES);
  const cpi = given ?? measuredCpi(await priceTrace(trace, request));
  const { advice, trials, tried, refused, excerpts } = await adviseTrace(trace, named, request, {
    machines,
    asked: request.machines.length,
    schedules,
    limits: { ...DEFAULT_THRESHOLDS, cycles: share },
    top,
    leastGain,
    cpi,
  });
  const [name = '', ...words] = trace.process.command;
  const head: AdviceHead = {
    trace: named,
    command: [basename(name), ...words].join(' '),
    machines: names,
    schedules: schedules.length,
    lineBytes: machines[0].lineBytes,
    tried,
    refused,
    excerpts,
    minGain: leastGain,
    cpi,
    isCpiMeasured: given === null,
  };
  return { advice, trials, head };
}
