// Stage: validation -> HTML. Samples beside a run, or samplers' draws beside the exact shares -> one page, which holds
// the output of --format json.

import { packView } from '../../html/embedded-view.js';
import { renderViews } from '../../html/html-report.js';
import type { Resampling } from '../validate/resample.js';
import type { SamplesValidation } from '../validate/validate-samples.js';

export function renderSamplesValidationPage(data: SamplesValidation): string {
  return renderViews([packView('validate-samples', data)]);
}

export function renderResamplingPage(data: Resampling): string {
  return renderViews([packView('resample', data)]);
}
