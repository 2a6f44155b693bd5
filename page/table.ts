// Stage: HTML page. A table of any number of rows: sorted and searched by TanStack's table-core, of which its
// virtual-core says what is in sight; only those rows are elements. Columns that the page has no room for, from the
// last on, are folded away until they are asked for.

import {
  constructTable,
  createColumnHelper,
  createFilteredRowModel,
  createSortedRowModel,
  globalFilteringFeature,
  columnFilteringFeature,
  rowSortingFeature,
  tableFeatures,
  type SortFn,
} from '@tanstack/table-core';
import { storeReactivityBindings } from '@tanstack/table-core/store-reactivity-bindings';
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import { formatCount } from '../src/base/format-number.js';
import { isNumeric, type Column } from './columns.js';
import { intervalAt } from '../src/views/row-estimates.js';
import { button, element } from './elements.js';

const ROW_PIXELS = 30;
const HEADING_PIXELS = 8;
const CHARACTER_PIXELS = 8.3;
const BOLD_PIXELS = 8.8;
const SORT_PIXELS = 14;
const PADDING_PIXELS = 18;
/** The most rows that are printed on paper. */
const MOST_PRINTED = 200;

const features = tableFeatures({
  coreReactivityFeature: storeReactivityBindings(),
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
});

export interface TableWords<Row> {
  /** For those who do not see it. */
  readonly caption: string;
  /** The plural noun for rows: "types". */
  readonly rows: string;
  /** Text that a search looks in; none: the table has no search field. */
  readonly search?: (row: Row) => string;
  /** Id of the column by which rows are sorted already. */
  readonly sortedBy?: string;
  readonly rowClass?: (row: Row) => string | null;
  /** The row that is in sight first. */
  readonly startAt?: number;
  /** Rows in sight, at most; without: as many as the window has room for. */
  readonly height?: number;
}

/** `rows` keep their order until a heading is clicked. */
export function buildTable<Row extends object>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  words: TableWords<Row>,
): HTMLElement {
  const helper = createColumnHelper<typeof features, Row>();
  const compare: SortFn<typeof features, Row> = (a, b, id) => {
    const [left, right] = [a.getValue<unknown>(id), b.getValue<unknown>(id)];
    return left === right ? 0 : (left as number) < (right as number) ? -1 : 1;
  };
  const table = constructTable({
    features,
    data: rows as Row[],
    columns: helper.columns(
      columns.map((column) =>
        helper.accessor((row: Row) => column.value(row) ?? undefined, {
          id: column.id,
          header: column.heading,
          sortFn: compare,
          sortDescFirst: isNumeric(column),
          sortUndefined: 'last',
          // One column stands for the row where it is searched.
          enableGlobalFilter: column === columns[0],
        }),
      ),
    ),
    getRowId: (_, index) => String(index),
    globalFilterFn: (row, _id, asked: string) => words.search!(row.original).toLowerCase().includes(asked),
    getColumnCanGlobalFilter: (column) => column.id === columns[0].id,
    enableSortingRemoval: false,
    initialState: { sorting: [] },
  });

  const headings = columns.map((column) => {
    const sorter = button(column.heading, () => sortBy(column.id));
    if (column.meaning !== undefined) sorter.title = column.meaning;
    const sorting = column.id === words.sortedBy ? 'descending' : 'none';
    return element(
      'th',
      {
        scope: 'col',
        'data-column': column.id,
        'data-unit': column.unit,
        class: isNumeric(column) ? 'number' : undefined,
        'aria-sort': sorting,
      },
      sorter,
    );
  });
  const body = element('tbody');
  const widths = columns.map((column) => measureColumn(column, rows));
  const cols = widths.map((width) => element('col', { style: { width: `${width}px` } }));
  const grid = element(
    'table',
    { 'aria-rowcount': rows.length + 1 },
    element('caption', { class: 'unseen' }, words.caption),
    element('colgroup', {}, ...cols),
    element('thead', {}, element('tr', { 'aria-rowindex': 1 }, ...headings)),
    body,
  );
  const scroller = element(
    'div',
    {
      class: 'scroller',
      tabindex: 0,
      role: 'region',
      'aria-label': words.caption,
      ...(words.height !== undefined && {
        style: { 'max-height': `${(words.height + 1) * ROW_PIXELS + HEADING_PIXELS}px` },
      }),
    },
    grid,
  );
  const status = element('p', { class: 'count', role: 'status' });

  /** The first so many columns are shown. */
  let unfolded = columns.length;
  let isUnfolded = false;
  const unfolder = button('', () => {
    isUnfolded = !isUnfolded;
    fold();
  });

  function fold(): void {
    const fitting = countFitting(widths, scroller.clientWidth);
    unfolded = isUnfolded ? columns.length : fitting;
    const width = widths.slice(0, unfolded).reduce((sum, own) => sum + own, 0);
    grid.style.setProperty('min-width', fitting === 1 || isUnfolded ? `${width}px` : '0');
    for (const [index, part] of [...headings.entries(), ...cols.entries()]) part.hidden = index >= unfolded;
    unfolder.hidden = fitting === columns.length;
    unfolder.textContent = isUnfolded ? 'as many columns as fit' : `all ${columns.length} columns`;
    drawn = '';
    draw();
  }

  let shown = table.getRowModel().rows;
  const virtualizer = new Virtualizer<HTMLDivElement, HTMLTableRowElement>({
    count: shown.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
    initialRect: { width: 1000, height: 600 },
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(),
  });
  virtualizer._didMount();

  function buildRow(place: number): HTMLTableRowElement {
    const row = shown[place];
    const cells = columns.map((column, index) =>
      element(
        index === 0 ? 'th' : 'td',
        {
          ...(index === 0 && { scope: 'row' }),
          class: isNumeric(column) ? 'number' : undefined,
          ...(index >= unfolded && { hidden: '' }),
        },
        column.cell(row.original),
      ),
    );
    return element(
      'tr',
      { 'aria-rowindex': place + 2, 'data-row': row.id, class: words.rowClass?.(row.original) ?? undefined },
      ...cells,
    );
  }

  const spacer = (pixels: number): HTMLTableRowElement[] =>
    pixels <= 0
      ? []
      : [
          element(
            'tr',
            { class: 'spacer', 'aria-hidden': true },
            element('td', { colspan: unfolded, style: { height: `${pixels}px` } }),
          ),
        ];
  let drawn = '';

  function draw(): void {
    const items = virtualizer.getVirtualItems();
    const [first, last] = [items[0], items[items.length - 1]];
    const range = `${first?.index} ${last?.index}`;
    if (range === drawn) return;
    drawn = range;
    const hadFocus = body.contains(document.activeElement);
    body.replaceChildren(
      ...spacer(first?.start ?? 0),
      ...items.map(({ index }) => buildRow(index)),
      ...spacer(virtualizer.getTotalSize() - (last?.end ?? 0)),
    );
    if (hadFocus) scroller.focus({ preventScroll: true });
  }

  function refresh(): void {
    shown = table.getRowModel().rows;
    grid.setAttribute('aria-rowcount', String(shown.length + 1));
    status.textContent =
      shown.length === rows.length
        ? rows.length === 1
          ? `1 ${words.rows.replace(/(?<=ss)es$|s$/, '')}`
          : `${formatCount(rows.length)} ${words.rows}`
        : `${formatCount(shown.length)} of ${formatCount(rows.length)} ${words.rows}`;
    scroller.style.setProperty('--rows', String(Math.max(1, shown.length)));
    scroller.scrollTop = 0;
    virtualizer.setOptions({ ...virtualizer.options, count: shown.length });
    virtualizer._willUpdate();
    virtualizer.measure();
    drawn = '';
    draw();
  }

  function sortBy(id: string): void {
    const column = table.getColumn(id)!;
    const isDescending = headings[columns.findIndex((one) => one.id === id)].getAttribute('aria-sort');
    const descending =
      isDescending === 'none' ? isNumeric(columns.find((one) => one.id === id)!) : isDescending === 'ascending';
    column.toggleSorting(descending);
    headings.forEach((heading, index) =>
      heading.setAttribute('aria-sort', columns[index].id !== id ? 'none' : descending ? 'descending' : 'ascending'),
    );
    refresh();
  }

  const controls = element(
    'div',
    { class: 'table-controls' },
    words.search === undefined
      ? null
      : searchField(words, (asked) => {
          table.setGlobalFilter(asked === '' ? undefined : asked.toLowerCase());
          refresh();
        }),
    status,
    unfolder,
  );
  refresh();
  onceShown(scroller, () => {
    new ResizeObserver(fold).observe(scroller);
    virtualizer._willUpdate();
    if (words.startAt !== undefined && words.startAt > 0) virtualizer.scrollToIndex(words.startAt, { align: 'center' });
  });
  forPaper(scroller, () => {
    body.replaceChildren(...shown.slice(0, MOST_PRINTED).map((_, index) => buildRow(index)));
    if (shown.length > MOST_PRINTED)
      grid.append(
        element(
          'tfoot',
          {},
          element(
            'tr',
            {},
            element(
              'td',
              { colspan: columns.length },
              `the first ${MOST_PRINTED} of ${formatCount(shown.length)} ${words.rows}`,
            ),
          ),
        ),
      );
    return () => {
      grid.tFoot?.remove();
      drawn = '';
      draw();
    };
  });
  return element('div', { class: 'table' }, controls, scroller);
}

const MOST_MEASURED = 1000;
/** ~, ± and % are wider than digits. */
const SIGNS = 3;

/** As many of the first columns as the width has room for; a column of names alone says nothing. */
function countFitting(widths: readonly number[], room: number): number {
  let sum = 0;
  const fitting = widths.findIndex((width) => (sum += width) > room);
  return fitting === -1 ? widths.length : Math.max(1, fitting);
}

/**
 * Names take what they need up to the column's width, numbers all: the heading is whole in either case, its words on
 * lines of their own if need be.
 */
function measureColumn<Row>(column: Column<Row>, rows: readonly Row[]): number {
  const { width, heading, nothing = '', value, cell, text } = column;
  const longestWord = Math.max(...heading.split(' ').map((word) => word.length));
  const forHeading = longestWord * BOLD_PIXELS + SORT_PIXELS + PADDING_PIXELS;
  if (!isNumeric(column)) {
    const longest = rows.reduce(
      (most, row) => Math.max(most, (text?.(row) ?? String(value(row) ?? nothing)).length),
      4,
    );
    return Math.max(forHeading, Math.min(width, longest) * CHARACTER_PIXELS + PADDING_PIXELS);
  }
  const length = (row: Row): number => {
    const spelled = cell(row);
    return (typeof spelled === 'string' ? spelled : spelled.textContent!).length;
  };
  const largest = rows.reduce<Row | null>(
    (most, row) => (most === null || Number(value(row)) > Number(value(most)) ? row : most),
    null,
  );
  // Small estimates are the longest, since their intervals are.
  const longest =
    largest === null
      ? 0
      : intervalAt(largest, '') === undefined
        ? length(largest)
        : SIGNS + Math.max(...rows.slice(0, MOST_MEASURED).map(length));
  return Math.max(forHeading, longest * CHARACTER_PIXELS + PADDING_PIXELS);
}

function searchField<Row>(words: TableWords<Row>, search: (asked: string) => void): HTMLElement {
  const input = element('input', {
    type: 'search',
    placeholder: `search ${words.rows}`,
    'aria-label': `search ${words.rows}`,
    spellcheck: 'false',
    autocomplete: 'off',
  });
  let waiting = 0;
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => search(input.value.trim()), 80);
  });
  return input;
}

/** Calls `act` when the target is in the page: only then can its size be observed. */
function onceShown(target: Element, act: () => void): void {
  const observer = new ResizeObserver(() => {
    if (!target.isConnected) return;
    observer.disconnect();
    act();
  });
  observer.observe(target);
}

/** `prepare` before it is printed, and what it gives back behind that. */
function forPaper(target: Element, prepare: () => () => void): void {
  let restore: (() => void) | null = null;
  addEventListener('beforeprint', () => {
    if (target.isConnected) restore = prepare();
  });
  addEventListener('afterprint', () => {
    restore?.();
    restore = null;
  });
}
