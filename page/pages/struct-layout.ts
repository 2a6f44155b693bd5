// Stage: HTML page. One type: its cache lines with every member in its place, and the members as a table. If the
// members of the type are unknown, the fields that accesses named.

import { formatBytes, formatShare, plural } from '../../src/base/format-number.js';
import { CLASSES, type LevelName } from '../../src/contract/machine.js';
import { name } from '../../src/views/columns.js';
import type { MissClassification, SampledTypeMisses } from '../../src/views/miss-classification.js';
import { missColumns } from '../../src/views/miss-columns.js';
import {
  memberColumns,
  type LayoutMember,
  type StructLayout,
  type StructLayoutRow,
} from '../../src/views/struct-layout.js';
import { LEVEL_NAMES } from '../charts.js';
import { CLASS_NAMES } from '../classes.js';
import { choice, element } from '../elements.js';
import { drawLayout, type Measure } from '../layout-picture.js';
import { linkTo, linkToSite } from '../links.js';
import { briefSiteElement, nameElement, spellName } from '../names.js';
import { buildTable } from '../table.js';
import { toPageColumns } from '../view-columns.js';
import { askedType, typeChoice } from '../type-choice.js';
import type { PageContext, PageDefinition } from './page-definition.js';

const VIEW = 'struct-layout';

const measuresOf = (level: LevelName): Readonly<Record<string, Measure>> => ({
  cycles: { name: 'estimated cycles', of: ({ missLatencyCycles = 0 }) => missLatencyCycles },
  misses: { name: 'L1 misses', of: ({ levels }) => levels?.l1.misses ?? 0 },
  ...Object.fromEntries(
    CLASSES.map((name): [string, Measure] => [
      name,
      {
        name: `${CLASS_NAMES[name]} misses of the ${LEVEL_NAMES[level]}`,
        of: ({ levels }) => levels?.[level].classes[name] ?? 0,
      },
    ]),
  ),
  references: {
    name: 'references',
    of: ({ references }) => (references === undefined ? 0 : references.loads + references.stores),
  },
  unused: { name: 'bytes fetched and never used', of: ({ unusedBytes = 0 }) => unusedBytes },
});

export const structLayout: PageDefinition = {
  id: 'struct-layout',
  title: 'Struct layout',
  group: 'Data',
  needs: ['data-profile'],
  async render(context) {
    const { report, words, go, pages } = context;
    const types = report.typesOf('data-profile');
    if (types.length === 0) return [element('p', {}, 'Nothing was referenced.')];
    const type = askedType(words, types);
    const rows = report.has(VIEW) ? await report.rowsOf<StructLayoutRow>(VIEW, type) : [];
    const envelope = report.has(VIEW) ? await report.envelope<StructLayout>(VIEW) : null;
    const measures = measuresOf(envelope?.level ?? 'l1');
    const by = words.get('by') ?? 'cycles';
    const measure = measures[by] ?? measures.cycles;
    const controls = element(
      'div',
      { class: 'controls' },
      typeChoice(types, type, (asked) => go({ type: asked, by })),
      ...(rows.length === 0
        ? []
        : [
            choice(
              'darker by',
              Object.entries(measures).map(([key, { name }]) => [key, name] as const),
              by,
              (asked) => go({ type, by: asked }),
            ),
          ]),
      ...['data-flow', 'path-traces', 'sets', 'sharing']
        .filter((page) => pages.includes(page))
        .map((page) => element('a', { href: linkTo(page, { type }) }, `its ${LINKS[page]} →`)),
    );
    if (rows.length === 0 || envelope === null) return [controls, ...(await fieldTable(context, type))];
    return [controls, ...rows.flatMap((row) => showLayout(row, envelope, measure))];
  },
};

const LINKS: Readonly<Record<string, string>> = {
  'data-flow': 'data flow',
  'path-traces': 'paths',
  sets: 'sets',
  sharing: 'sharing pairs',
};

function showLayout(row: StructLayoutRow, { machine, totals, level }: StructLayout, measure: Measure): Node[] {
  const site =
    row.file === ''
      ? []
      : [
          ', defined at ',
          element(
            'a',
            { href: linkToSite(`${row.file}:${row.line}`) },
            briefSiteElement(`${row.file}:${row.line}`, 40),
          ),
        ];
  const gaps = [
    ...(row.holes > 0 ? [`${plural(row.holes, 'hole')} of ${plural(row.sumHoles, 'byte')}`] : []),
    ...(row.padding > 0 ? [`${plural(row.padding, 'byte')} of padding`] : []),
  ];
  const { misses } = row.levels.l1;
  return [
    element(
      'p',
      { class: 'lead' },
      nameElement(row.type),
      row.layouts > 1 ? ` (${row.layout + 1} of ${row.layouts} types of this name, whose counts are together)` : '',
      `: ${row.kind} of ${plural(row.sizeBytes, 'byte')} on ${plural(row.cacheLines, 'line')} of ` +
        `${machine.lineBytes}, if it begins with one`,
      ...site,
      `. ${gaps.length === 0 ? 'No holes and no padding' : gaps.join(', ')}. ${plural(misses, 'L1 miss')} (` +
        `${formatShare(misses, totals.levels.l1.misses)} of all). Of ${formatBytes(row.fetchedBytes)} fetched ` +
        `into an L1, ${formatBytes(row.unusedBytes)} (${formatShare(row.unusedBytes, row.fetchedBytes)}) were ` +
        'never used.',
    ),
    drawLayout(row, machine.lineBytes, measure),
    element('h2', {}, 'Members'),
    memberTable(row, level),
  ];
}

function memberTable(row: StructLayoutRow, level: LevelName): HTMLElement {
  return buildTable(toPageColumns(memberColumns(row, level, spellMember), {}, { name: memberCell }), row.rows, {
    caption: `Members of ${spellName(row.type)}`,
    rows: 'rows',
    search: spellMember,
    rowClass: ({ row: what }) => (what === 'type' ? 'whole' : what === 'member' ? null : 'around'),
  });
}

function spellMember({ row, name, type, bits }: LayoutMember): string {
  if (row === 'type') return type!;
  if (row === 'outside') return name ?? '(no member)';
  if (row !== 'member') return bits === undefined ? `(${row})` : `(${row} of ${bits} bits)`;
  return name ?? '';
}

function memberCell(member: LayoutMember): Node {
  const { row, name, depth, elements, isBase, bits } = member;
  const spelled = row === 'member' && name === '' ? '(anonymous)' : spellMember(member);
  const more =
    row !== 'member'
      ? ''
      : elements !== undefined
        ? `[${elements === 0 ? '' : elements}]`
        : bits !== undefined
          ? ` : ${bits}`
          : isBase === true
            ? ' (base)'
            : '';
  return element(
    'span',
    { style: { 'padding-left': `${Math.max(0, depth - 1) * 1.1}rem` } },
    nameElement(spelled),
    more,
  );
}

type FieldRow = (MissClassification | SampledTypeMisses)['rows'][number];

async function fieldTable({ report }: PageContext, type: string): Promise<Node[]> {
  const [view, rows] = await Promise.all([
    report.envelope<MissClassification | SampledTypeMisses>('miss-classification'),
    report.rowsOf<FieldRow>('miss-classification', type),
  ]);
  const columns = toPageColumns<FieldRow>([
    name('field', 'field', { width: 34, nothing: '(all of it)' }),
    ...missColumns(view),
  ]);
  return [
    element(
      'p',
      { class: 'lead' },
      nameElement(type),
      ': its members are not known. Below are the fields that accesses named, if any.',
    ),
    buildTable(columns, rows, {
      caption: `Fields of ${spellName(type)}`,
      rows: 'rows',
      search: ({ field }) => field ?? '',
      rowClass: ({ field }) => (field === null ? 'whole' : null),
    }),
  ];
}
