// Stage: validation. The program of a trace and the files that samples met -> whether they are of one build. Another
// build's samples would be held against other code without anybody noticing, so they are refused unless it was said.

import { DprofError } from '../../base/dprof-error.js';
import type { SampledModule } from '../samples/typed-samples.js';
import { fileName } from './code-of-samples.js';

export interface TracedProgram {
  readonly file: string;
  /** Empty: it has none, or the trace is of before they were recorded. */
  readonly buildId: string;
}

/** `unknown`: one of them does not say. */
export type Identity = 'same-build' | 'other-build' | 'unknown';

export interface SameProgram {
  readonly identity: Identity;
  readonly traced: TracedProgram;
  /** null: of another build nobody knows which it is. */
  readonly sampled: TracedProgram | null;
}

export interface NamedFiles {
  readonly trace: string;
  readonly samples: string;
}

/** `modules`: the one with the most samples first. */
export function checkProgram(
  traced: TracedProgram,
  modules: readonly Pick<SampledModule, 'file' | 'buildId' | 'isKernel'>[],
  isOtherBuild: boolean,
  { trace, samples }: NamedFiles,
): SameProgram {
  const own = modules.filter(({ isKernel }) => !isKernel);
  const program = own.find(({ file }) => !isLibrary(file)) ?? own.at(0);
  if (traced.file === '' && traced.buildId === '') {
    // A truncated trace was cut before it says which program it is of: the samples' is taken for it.
    const sampled = program === undefined ? null : describe(program);
    return { identity: 'unknown', traced: { file: sampled?.file ?? trace, buildId: '' }, sampled };
  }
  const same = traced.buildId === '' ? undefined : own.find(({ buildId }) => buildId === traced.buildId);
  if (same !== undefined) return { identity: 'same-build', traced, sampled: describe(same) };
  const named =
    own.find(({ file }) => file === traced.file) ?? own.find(({ file }) => fileName(file) === fileName(traced.file));
  if (isOtherBuild) return { identity: 'other-build', traced, sampled: named === undefined ? null : describe(named) };
  if (named === undefined) {
    const met = program === undefined ? 'no program' : `${program.file} (build id ${spellId(program.buildId)})`;
    throw new DprofError(
      `${samples} is of another program than ${trace}: ${met}, not ${traced.file} ` +
        `(build id ${spellId(traced.buildId)})`,
      'take both of one program; of an uninstrumented build of it under another name: --other-build',
    );
  }
  if (traced.buildId !== '' && named.buildId !== '') {
    throw new DprofError(
      `${samples} is of another build of ${fileName(traced.file)} than ${trace}: build id ${named.buildId}, ` +
        `not ${traced.buildId}`,
      'take both of one build; if it is the same source, built without dprof-cc, say so: --other-build',
    );
  }
  return { identity: 'unknown', traced, sampled: describe(named) };
}

/** libc.so.6, ld-linux-x86-64.so.2, libfoo.so; and [vdso] and its like, which are no files. */
const isLibrary = (file: string): boolean => /\.so(\.[\d.]+)?$/.test(file) || file.startsWith('[');

const describe = ({ file, buildId }: TracedProgram): TracedProgram => ({ file, buildId });

const spellId = (buildId: string): string => buildId || 'unknown';
