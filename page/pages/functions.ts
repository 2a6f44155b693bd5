// Stage: HTML page. The code profile, for contrast: misses by function, whatever data they touched.

import type { FunctionRow, Functions } from '../../src/views/functions.js';
import { countColumn, nameColumn, type Column } from '../columns.js';
import { element } from '../elements.js';
import { buildTable } from '../table.js';
import { LEVEL_NAMES } from '../charts.js';
import { askedLevel, classColumns, levelChoice } from './miss-classes.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'functions';

export const functions: PageDefinition = {
  id: 'functions',
  title: 'Functions',
  group: 'Code',
  needs: [VIEW],
  async render({ report, words, go }) {
    const view = await report.view<Functions>(VIEW);
    const level = askedLevel(words);
    const columns: Column<FunctionRow>[] = [
      nameColumn('function', 'function', { nothing: '(unknown)', width: 34 }),
      ...classColumns(view, level),
      countColumn('cycles', 'latencyCycles', { meaning: 'of all its references, hits included' }),
      countColumn('types', 'types', { meaning: 'that it referenced' }),
      countColumn('types missed', 'typesMissed', { meaning: 'that it missed the L1 on' }),
    ];
    return [
      element('p', { class: 'lead' }, 'What a profiler of code would show: where misses happen, not whose they are.'),
      element(
        'div',
        { class: 'controls' },
        levelChoice(level, (asked) => go({ level: asked })),
      ),
      buildTable(columns, view.rows, {
        caption: `Functions by ${LEVEL_NAMES[level]} misses`,
        rows: 'functions',
        search: (row) => row.function ?? '(unknown)',
        sortedBy: level === 'l1' ? 'levels.l1.misses' : undefined,
      }),
    ];
  },
};
