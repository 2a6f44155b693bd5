// Stage: HTML page. The subject of the report, for its head and its title: a program, two runs of one, a run and what
// hardware saw of it, or a trace that samples were drawn from.

import type { Diff } from '../src/diff/diff.js';
import type { Resampling } from '../src/hardware/validate/resample.js';
import type { SamplesValidation } from '../src/hardware/validate/validate-samples.js';
import type { AnyView } from '../src/views/views.js';
import type { Report } from './report.js';

export async function subjectOf(report: Report): Promise<string> {
  if (report.has('resample')) return (await report.envelope<Resampling>('resample')).trace;
  if (report.has('validate-samples')) {
    const { trace, samples } = await report.envelope<SamplesValidation>('validate-samples');
    return `${trace} and ${samples}`;
  }
  if (!report.has('diff')) return (await report.envelope<AnyView>('data-profile')).command.join(' ');
  const { before, after } = await report.envelope<Diff>('diff');
  const [first, second] = [before.name, after.name].map((name) => name.slice(name.lastIndexOf('/') + 1));
  return first === second ? `${before.name} → ${after.name}` : `${first} → ${second}`;
}
