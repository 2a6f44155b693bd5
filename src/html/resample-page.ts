// Stage: validation -> HTML. The draws of samplers, beside the exact shares -> one page, which holds the output of
// --format json.

import type { Resampling } from '../hardware/validate/resample.js';
import { packView } from './embedded-view.js';
import { renderViews } from './html-report.js';

export function renderResamplingPage(data: Resampling): string {
  return renderViews([packView('resample', data)]);
}
