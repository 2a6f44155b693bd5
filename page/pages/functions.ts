// Stage: HTML page. The code profile, for contrast: misses by function, whatever data they touched.

import { functionColumns, type Functions, type SampledFunctions } from '../../src/views/functions.js';
import { element } from '../elements.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import { LEVEL_NAMES } from '../charts.js';
import { askedLevel, levelChoice } from './miss-classes.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'functions';

export const functions: PageDefinition = {
  id: 'functions',
  title: 'Functions',
  group: 'Code',
  needs: [VIEW],
  async render({ report, words, go }) {
    const view = await report.view<Functions | SampledFunctions>(VIEW);
    const level = askedLevel(words, view.level);
    return [
      element('p', { class: 'lead' }, 'What a profiler of code would show: where misses happen, not whose they are.'),
      element(
        'div',
        { class: 'controls' },
        levelChoice(level, (asked) => go({ level: asked })),
      ),
      buildTable(toPageColumns(functionColumns(view, level)), view.rows, {
        caption: `Functions, with ${LEVEL_NAMES[level]} misses`,
        rows: 'functions',
        search: (row) => row.function ?? '(unknown)',
        sortedBy: view.sampled === undefined ? 'missLatencyCycles' : level === 'l1' ? 'levels.l1.misses' : undefined,
      }),
    ];
  },
};
