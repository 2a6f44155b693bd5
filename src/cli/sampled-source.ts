// Stage: command line. Files of samples, and histories of the same program, to profiles: what a replay is of a trace.

import { DprofError } from '../base/dprof-error.js';
import { openSamples } from '../hardware/samples/samples-reader.js';
import { SAMPLES_MAGIC } from '../hardware/samples/samples-format.js';
import type { TypedSamples } from '../hardware/samples/typed-samples.js';
import { HISTORIES_MAGIC } from '../hardware/histories/histories-layout.js';
import { readHistories } from '../hardware/histories/histories-reader.js';
import { nameMachines } from '../machine/machine-names.js';
import { resolveMachine } from '../machine/parse-machine.js';
import type { Profile } from '../profile/profile.js';
import { buildSampledProfile } from '../hardware/sampled/sampled-profile.js';
import type { Named, SampledInput } from '../hardware/sampled/sampled-input.js';
import { hasMagic } from './has-magic.js';
import { refuseTraceFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';

/** The help text of a command's argument, beside traces. */
export const SAMPLES = 'samples of dprof sample, with or without histories of the same program';

export function areSamples(paths: readonly string[]): boolean {
  return paths.some((path) => hasMagic(path, SAMPLES_MAGIC));
}

/** One profile for each machine of the request, in its order. `named`: the paths as the user wrote them. */
export function sampledProfiles(
  paths: readonly string[],
  named: readonly string[],
  options: ReplayFlags,
  request: ReplayRequest,
): Profile[] {
  refuseTraceFlags(
    options,
    `for ${named.join(' and ')}: samples are not replayed`,
    'leave it out; machine flags are those of the simulated working set',
  );
  const input = readInput(paths, named.length === paths.length ? named : paths);
  const names = nameMachines(request.machines);
  return request.machines.map((machine, index) =>
    buildSampledProfile(input, {
      machineFor: (cores) => ({ ...resolveMachine(machine, cores), name: names[index] }),
      flow: request.flow,
      seed: Number(machine.seed ?? 1),
    }),
  );
}

function readInput(paths: readonly string[], named: readonly string[]): SampledInput {
  const samples: Named<TypedSamples>[] = [];
  const histories: SampledInput['histories'][] = [];
  for (const [index, path] of paths.entries()) {
    const name = named[index];
    if (hasMagic(path, SAMPLES_MAGIC)) samples.push({ name, value: readTyped(path, name) });
    else if (hasMagic(path, HISTORIES_MAGIC)) histories.push({ name, value: ofFile(name, () => readHistories(path)) });
    else
      throw new DprofError(
        `${name} is neither samples nor histories, and only those go together`,
        'a trace is compared with samples by dprof validate TRACE SAMPLES',
        2,
      );
  }
  if (histories.length > 1)
    throw new DprofError(
      `${histories[0]!.name} and ${histories[1]!.name} are both histories, and paths are of one file`,
      'take them together: dprof history --type A --type B',
      2,
    );
  return { samples, histories: histories[0] ?? null };
}

function readTyped(path: string, name: string): TypedSamples {
  const opened = ofFile(name, () => openSamples(path));
  try {
    const typed = ofFile(name, () => opened.typed());
    if (typed === null)
      throw new DprofError(
        `${name} has addresses, and no types: dprof import knows none`,
        'dprof sample -- PROGRAM finds types; or compare it with a trace of the same run: dprof validate TRACE SAMPLES',
      );
    return typed;
  } finally {
    opened.close();
  }
}

/** An error of one of several files names the file. */
function ofFile<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DprofError) || error.message.includes(name)) throw error;
    throw new DprofError(`${name}: ${error.message}`, error.hint, error.exitCode);
  }
}
