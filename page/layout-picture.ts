// Stage: HTML page. A type's layout as its cache lines: every member where it lies, as dark as what it is measured by,
// holes and padding hatched.

import { formatCount, plural } from '../src/base/format-number.js';
import type { LayoutMember, StructLayoutRow } from '../src/views/struct-layout.js';
import { element } from './elements.js';
import { spellName } from './names.js';

/** The most lines of a type that the picture shows; the table below lists all. */
const MOST_LINES = 128;
const CHARACTERS_PER_BYTE = 1.7; // in a window of usual width

/** The member at [from, to) of the object, in the row `lane` of its line where members overlap. */
interface Segment {
  readonly member: LayoutMember;
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

export interface Measure {
  readonly name: string;
  readonly of: (member: LayoutMember) => number;
}

export function drawLayout(row: StructLayoutRow, lineBytes: number, measure: Measure): HTMLElement {
  const segments = findSegments(row.rows);
  const most = Math.max(1, ...segments.map(({ member }) => measure.of(member)));
  const lines = Math.min(MOST_LINES, row.cacheLines);
  const shown = Array.from({ length: lines }, (_, line) =>
    drawLine(
      line,
      lineBytes,
      segments.filter(({ from, to }) => from < (line + 1) * lineBytes && to > line * lineBytes),
      measure,
      most,
    ),
  );
  return element(
    'div',
    {
      class: 'layout',
      role: 'group',
      'aria-label':
        `Cache lines of ${spellName(row.type)}, darker where there are more ${measure.name}. The table below ` +
        'lists the members.',
    },
    element('ol', { class: 'lines', start: 0 }, ...shown),
    row.cacheLines > lines
      ? element(
          'p',
          { class: 'note' },
          `The first ${lines} of ${plural(row.cacheLines, 'line')}; the table below has all members.`,
        )
      : null,
  );
}

/** Innermost members, arrays as a whole, holes and padding; paths as fields are spelled. */
function findSegments(rows: readonly LayoutMember[]): Segment[] {
  const segments: Segment[] = [];
  const names: string[] = [];
  for (let at = 0; at < rows.length; at++) {
    const member = rows[at];
    if (member.offsetBytes === null || member.sizeBytes === null || member.row === 'type') continue;
    names.length = member.depth - 1;
    names.push(member.isBase === true ? '' : (member.name ?? ''));
    const isArray = member.elements !== undefined;
    const hasParts = at + 1 < rows.length && rows[at + 1].depth > member.depth && member.row === 'member';
    if (hasParts && !isArray) continue;
    const [from, to] = extent(member);
    if (to > from)
      segments.push({
        member,
        path:
          member.row === 'member' ? names.filter((name) => name !== '').join('.') + (isArray ? '[]' : '') : member.row,
        from,
        to,
      });
    if (hasParts) while (at + 1 < rows.length && rows[at + 1].depth > member.depth) at++;
  }
  return segments;
}

/** Bit-fields and what they leave take the bytes that they touch. */
function extent({ offsetBytes, sizeBytes, firstBit, bits, isBitField, row }: LayoutMember): [from: number, to: number] {
  const begin = offsetBytes!;
  if (isBitField && bits !== undefined)
    return [begin + Math.floor((firstBit ?? 0) / 8), begin + Math.ceil(((firstBit ?? 0) + bits) / 8)];
  if (row !== 'member' && sizeBytes === 0) return [begin, begin + 1];
  return [begin, begin + sizeBytes!];
}

function drawLine(
  line: number,
  lineBytes: number,
  segments: readonly Segment[],
  measure: Measure,
  most: number,
): HTMLElement {
  const begin = line * lineBytes;
  const laneEnds: number[] = [];
  const blocks = [...segments]
    .sort((a, b) => a.from - b.from || b.to - a.to)
    .flatMap((segment) => {
      // Bits that a bit-field leaves share a byte with it: there is nothing to see of them.
      if (segment.member.row !== 'member' && segment.member.sizeBytes === 0) return [];
      const [from, to] = [Math.max(segment.from, begin) - begin, Math.min(segment.to, begin + lineBytes) - begin];
      const free = laneEnds.findIndex((end) => end <= from);
      const lane = free === -1 ? laneEnds.length : free;
      laneEnds[lane] = to;
      return [drawBlock(segment, from, to, lane, measure, most)];
    });
  return element(
    'li',
    {},
    element('span', { class: 'line-name' }, `${begin}`),
    element(
      'ul',
      { class: 'bytes', style: { 'grid-template-columns': `repeat(${lineBytes}, minmax(0, 1fr))` } },
      ...blocks,
    ),
  );
}

function drawBlock(
  { member, path }: Segment,
  from: number,
  to: number,
  lane: number,
  measure: Measure,
  most: number,
): HTMLElement {
  const value = measure.of(member);
  const room = (to - from) * CHARACTERS_PER_BYTE;
  const cores = member.cores ?? [];
  const used = cores.length === 0 ? 'never referenced' : `cores ${cores.map(({ core }) => core).join(', ')}`;
  const isMember = member.row === 'member';
  const size =
    `${formatCount(member.sizeBytes!)} ${member.sizeBytes === 1 ? 'byte' : 'bytes'} at ` + `${member.offsetBytes}`;
  const words = isMember
    ? `${spellName(path)}, ${size}: ${formatCount(value)} ${measure.name}, ${used}`
    : `${member.row}, ${size}`;
  return element(
    'li',
    {
      class: isMember ? (cores.length === 0 ? 'block idle' : 'block') : 'block hole',
      title: words,
      style: {
        'grid-column': `${from + 1} / ${to + 1}`,
        'grid-row': String(lane + 1),
        '--heat-share': `${Math.round((72 * value) / most)}%`,
      },
    },
    element('span', { class: 'unseen' }, words),
    element(
      'bdi',
      { class: 'block-name', 'aria-hidden': true },
      isMember && room >= 3 ? spellName(path.length * 0.9 <= room ? path : path.slice(path.lastIndexOf('.') + 1)) : '',
    ),
    element('span', { class: 'block-numbers', 'aria-hidden': true }, isMember && room >= 5 ? formatCount(value) : ''),
    element(
      'span',
      { class: 'block-numbers', 'aria-hidden': true },
      isMember && room >= 5 && cores.length > 0
        ? `${cores.length === 1 ? 'core' : 'cores'} ${cores.map(({ core }) => core).join(' ')}`
        : '',
    ),
  );
}
