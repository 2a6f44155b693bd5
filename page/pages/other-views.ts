// Stage: HTML page. Which views no page is about.

import { placeInReport, VIEW_NAMES, type ViewName } from '../../src/views/views.js';

/** `shown`: what pages are called, and the views that they need. */
export function viewsWithoutPage(shown: readonly string[]): ViewName[] {
  return VIEW_NAMES.filter((name) => !shown.includes(name) && placeInReport(name) === undefined);
}
