// Stage: samples -> profile. What profiles are made of: samples of one or several runs of one program, and histories of
// its objects. Whether they belong together.

import { basename } from 'node:path';
import { DprofError } from '../../base/dprof-error.js';
import type { TypedSamples } from '../samples/typed-samples.js';
import type { Histories } from '../histories/histories.js';

export interface Named<Value> {
  /** The file's name, for errors. */
  readonly name: string;
  readonly value: Value;
}

export interface SampledInput {
  /** At least one. */
  readonly samples: readonly Named<TypedSamples>[];
  readonly histories: Named<Histories> | null;
}

export function requireOneProgram({ samples, histories }: SampledInput): void {
  const builds = new Map<string, { readonly buildId: string; readonly name: string }>();
  for (const { name, value } of samples) {
    for (const { file, buildId, isKernel } of value.modules) {
      if (buildId === '' || isKernel) continue;
      const known = builds.get(basename(file));
      if (known === undefined) builds.set(basename(file), { buildId, name });
      else if (known.buildId !== buildId) {
        throw new DprofError(
          `${known.name} and ${name} are of different builds of ${basename(file)}: ${known.buildId} and ${buildId}`,
          'sample one build, or report on each alone',
        );
      }
    }
  }
  // Histories say no build ids: the program must be called the same.
  const [first, ...others] = [
    ...samples.map(({ name, value }) => ({ name, command: value.run.command })),
    ...(histories === null ? [] : [{ name: histories.name, command: histories.value.run.command }]),
  ];
  for (const other of others) {
    const [one, two] = [first, other].map(({ command }) => basename(command[0] ?? ''));
    if (one !== '' && two !== '' && one !== two)
      throw new DprofError(
        `${first.name} is of ${one}, and ${other.name} of ${two}`,
        'give samples and histories of one program',
      );
  }
}
