// Stage: validation -> HTML. What samplers drew, beside the exact shares -> one page, which holds what --format json
// prints.

import type { Resampling } from '../hardware/validate/resample.js';
import { packView } from './embedded-view.js';
import { renderViews } from './html-report.js';

export function renderResamplingPage(data: Resampling): string {
  return renderViews([packView('resample', data)]);
}
