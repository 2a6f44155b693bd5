// Stage: command line. `dprof validate TRACE SAMPLES`: the exact profile by the engine and machine asked for, samples
// with their types beside it.

import { DprofError } from '../base/dprof-error.js';
import { openSamples } from '../hardware/samples/samples-reader.js';
import type { TypedSamples } from '../hardware/samples/typed-samples.js';
import { resolveMachine } from '../machine/parse-machine.js';
import { replayInput, type OpenedTrace } from '../replay/open-trace.js';
import { fileName, instrumentedFunctions } from '../hardware/validate/code-of-samples.js';
import { checkProgram, type TracedProgram } from '../hardware/validate/same-program.js';
import { typeSamples } from '../hardware/validate/type-samples.js';
import { validateSamples, type SamplesRequest, type SamplesValidation } from '../hardware/validate/validate-samples.js';
import { codeOfFiles } from './code-of-files.js';
import { onlyMachine, type ReplayRequest } from './machine-options.js';
import { openFor, replayTrace } from './replay-trace.js';

export interface SamplesFiles {
  /** The paths on disk: the names that the user gave may mean standard input. */
  readonly trace: string;
  readonly samples: string;
}

export async function validateSamplesFile(
  files: SamplesFiles,
  request: ReplayRequest,
  asked: SamplesRequest & { readonly isOtherBuild: boolean },
): Promise<SamplesValidation> {
  onlyMachine(request);
  const opened = openSamples(files.samples);
  try {
    if (opened.tables.events.every(({ samples }) => samples === 0))
      throw new DprofError(
        `${asked.samples} has no samples`,
        'dprof dump prints what it has; nothing may have been sampled, or everything lost',
      );
    const trace = openFor([files.trace], request);
    const samples =
      opened.typed() ??
      typeSamples(
        opened,
        trace,
        replayInput(trace, resolveMachine({}, trace.threads.length), { kind: 'recorded' }),
        codeOfFiles,
        asked,
      );
    const program = checkProgram(tracedProgram(trace), modulesBySamples(samples), asked.isOtherBuild, asked);
    const [profile] = await replayTrace([files.trace], request, asked.trace);
    const { isOtherBuild: _, ...named } = asked;
    return validateSamples(
      profile,
      samples,
      {
        functions: instrumentedFunctions(trace.catalog),
        modules: new Set(trace.modules.map(({ path }) => fileName(path))),
      },
      program,
      named,
    );
  } finally {
    opened.close();
  }
}

function tracedProgram({ process: { executable, buildId } }: OpenedTrace): TracedProgram {
  return { file: executable, buildId: typeof buildId === 'string' ? buildId : '' };
}

/** Most samples first. */
function modulesBySamples({ modules, places, rows }: TypedSamples): TypedSamples['modules'] {
  const counts = modules.map(() => 0);
  rows.place.forEach((place, row) => {
    const { module } = places[place];
    if (module !== -1) counts[module] += rows.samples[row];
  });
  return modules
    .map((module, index) => ({ module, count: counts[index] }))
    .sort((a, b) => b.count - a.count)
    .map(({ module }) => module);
}
