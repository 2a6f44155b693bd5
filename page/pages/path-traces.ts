// Stage: HTML page. Path traces: of one type the distinct paths that its objects took, and of one path its steps, as
// DProf's Table 1 has them.

import type {
  PathFacts,
  PathTraceRow,
  PathTraces,
  SampledPathRow,
  SampledPathTraces,
} from '../../src/views/path-rows.js';
import { formatTime } from '../../src/base/format-estimate.js';
import { formatCount, plural } from '../../src/base/format-number.js';
import { pathRowColumns, stepColumns } from '../../src/views/path-columns.js';
import { element } from '../elements.js';
import { flowNotes, SPELLED_PLACES } from '../flow-notes.js';
import { linkTo, linkToSite } from '../links.js';
import { briefSiteElement, nameElement, spellName } from '../names.js';
import { countAlike, nameOf, pathText, spellPath } from '../path-words.js';
import { buildTable } from '../table.js';
import { askedType, typeChoice } from '../type-choice.js';
import { toPageColumns } from '../view-columns.js';
import type { PageDefinition } from './page-definition.js';

type AnyView = PathTraces | SampledPathTraces;
type AnyRow = PathTraceRow | SampledPathRow;

const VIEW = 'path-traces';

export const pathTraces: PageDefinition = {
  id: 'path-traces',
  title: 'Path traces',
  group: 'Flow',
  needs: [VIEW],
  async render({ report, words, go }) {
    const types = report.typesOf(VIEW);
    if (types.length === 0) return [element('p', {}, 'No object of this run has a path.')];
    const type = askedType(words, types);
    const [envelope, rows] = await Promise.all([report.envelope<AnyView>(VIEW), report.rowsOf<AnyRow>(VIEW, type)]);
    const chosen = Math.min(rows.length - 1, Math.max(0, Number(words.get('path') ?? 0) || 0));
    const { all, embedded } = report.countRows(VIEW);
    return [
      element(
        'p',
        { class: 'lead' },
        'The paths that objects took from their allocation to their end: one step for each stretch of ' +
          'references from one ',
        SPELLED_PLACES[envelope.flow.by],
        ' on one core. A double arrow is where the object changes core. ',
        all > embedded
          ? `The file has ${formatCount(embedded)} of ${formatCount(all)} paths, the most frequent ones of each type.`
          : '',
      ),
      ...flowNotes(envelope.flow),
      element(
        'div',
        { class: 'controls' },
        typeChoice(types, type, (asked) => go({ type: asked })),
      ),
      pathTable(rows, type, chosen),
      ...pathDetail(rows[chosen], envelope, chosen),
    ];
  },
};

function pathTable(rows: readonly AnyRow[], type: string, chosen: number): HTMLElement {
  const alike = countAlike(rows);
  const numbers = new Map(rows.map((row, index) => [row, index]));
  const columns = toPageColumns<AnyRow>(
    pathRowColumns((row) => pathText(beginOf(row), row.steps, alike)),
    {},
    {
      path: (row) =>
        element(
          'a',
          { href: linkTo('path-traces', { type, path: String(numbers.get(row)) }) },
          ...spellPath(beginOf(row), row.steps, alike),
        ),
    },
  );
  return buildTable(columns, rows, {
    caption: `Paths of ${spellName(type)}`,
    rows: 'paths',
    search: (row) => row.steps.map((step) => step.function ?? '').join(' '),
    rowClass: (row) => (numbers.get(row) === chosen ? 'asked' : null),
    startAt: chosen,
    height: 11,
  });
}

function beginOf({ kind, variable, allocatedBy }: PathFacts): string {
  return nameOf(kind === 'heap' ? allocatedBy : variable);
}

function pathDetail(row: AnyRow, envelope: AnyView, chosen: number): Node[] {
  return [
    element(
      'h2',
      {},
      `Path ${chosen + 1}: ${envelope.sampled === undefined ? '' : '~'}${formatCount(row.frequency)} ` +
        `${row.frequency === 1 ? 'object' : 'objects'}`,
    ),
    element(
      'p',
      {},
      ...describeEnds(row, lifetimeOf(row)),
      row.cut ? ' It had more steps than are kept: the last one stands for the rest.' : '',
    ),
    buildTable(toPageColumns(stepColumns(envelope)), row.steps, {
      caption: `Steps of path ${chosen + 1}`,
      rows: 'steps',
    }),
  ];
}

function describeEnds(
  { kind, variable, allocatedBy, allocatedAt, end, freedBy, freedAt, freedOnAnotherCore }: AnyRow,
  lifetime: string,
): (Node | string)[] {
  const at = (site: string | null): (Node | string)[] =>
    site === null ? [] : [' at ', element('a', { href: linkToSite(site) }, briefSiteElement(site, 40))];
  const begin =
    kind === 'heap'
      ? ['Allocated by ', nameElement(nameOf(allocatedBy))]
      : [`The ${kind} variable `, nameElement(nameOf(variable))];
  const ends = {
    freed: [', freed by ', nameElement(nameOf(freedBy)), ...at(freedAt), freedOnAnotherCore ? ' on another core' : ''],
    alive: [', alive at the end of the run'],
    ended: [', ended with its frame, its thread or its memory'],
  };
  return [...begin, ...at(allocatedAt), ...ends[end], `, after ${lifetime} on average.`];
}

function lifetimeOf(row: AnyRow): string {
  return row.averageLifetimeInstructions === null
    ? formatTime(row.averageLifetimeNanoseconds)
    : plural(Math.round(row.averageLifetimeInstructions), 'instruction');
}
