// Stage: HTML page. Locks: how long threads wait for each and hold it, in replay time; of one lock who takes it and
// what its holders touch.

import { lockColumns, lockDataColumns, lockFunctionColumns, type LockRow, type Locks } from '../../src/views/locks.js';
import { element } from '../elements.js';
import { linkTo } from '../links.js';
import { nameElement, spellName } from '../names.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';

const VIEW = 'locks';

export const locks: PageDefinition = {
  id: VIEW,
  title: 'Locks',
  group: 'Cores',
  needs: [VIEW],
  async render({ report, words }) {
    const view = await report.view<Locks>(VIEW);
    if (view.rows.length === 0) return [element('p', {}, 'No lock was acquired.')];
    const chosen = Math.min(view.rows.length - 1, Math.max(0, Number(words.get('lock') ?? 0) || 0));
    return [
      element(
        'p',
        { class: 'lead' },
        'Locks by the time that threads waited for them: times are instructions of replay time, in which all ' +
          'threads run side by side.',
      ),
      lockTable(view, chosen),
      ...lockDetail(view.rows[chosen]),
    ];
  },
};

function lockTable(view: Locks, chosen: number): HTMLElement {
  const { rows } = view;
  const numbers = new Map(rows.map((row, index) => [row, index]));
  const columns = toPageColumns(lockColumns(view), {
    lock: (row) => linkTo(VIEW, { lock: String(numbers.get(row)) }),
  });
  return buildTable(columns, rows, {
    caption: 'Locks',
    rows: 'locks',
    search: ({ lock, type }) => `${lock} ${type}`,
    sortedBy: 'waitInstructions',
    rowClass: (row) => (numbers.get(row) === chosen ? 'asked' : null),
    height: 14,
  });
}

function lockDetail(row: LockRow): HTMLElement[] {
  return [
    element('h2', {}, 'Who acquires ', nameElement(row.lock)),
    buildTable(toPageColumns(lockFunctionColumns(row)), row.functions, {
      caption: `Functions that acquire ${spellName(row.lock)}`,
      rows: 'functions',
      sortedBy: 'acquisitions',
      height: 10,
    }),
    element('h2', {}, 'What its holders touch'),
    buildTable(toPageColumns(lockDataColumns(row)), row.data, {
      caption: `Data that holders of ${spellName(row.lock)} touch`,
      rows: 'types',
      sortedBy: 'l1Misses',
      height: 14,
    }),
  ];
}
