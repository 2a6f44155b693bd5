// Stage: diff -> text. Paths that came, went, or are taken more or less often, as a table; a long path goes over
// several lines.

import type { Work } from '../diff/change.js';
import type { PathChange, PathChanges, PathPlace } from '../diff/path-changes.js';
import { foldRepeats } from '../views/fold-repeats.js';
import { formatChange, formatCount, formatRate, plural } from '../base/format-number.js';
import { briefSite } from '../views/sites.js';
import { wrap } from './text-lines.js';
import { renderTable, type TextColumn } from './text-table.js';

const columns: readonly TextColumn[] = [
  { heading: 'lives before', align: 'right' },
  { heading: 'after', align: 'right' },
  { heading: 'change', align: 'right' },
  { heading: 'type', align: 'left', shortest: 12 },
  { heading: 'path', align: 'left' },
];

/** null: all paths are taken as often as before. */
export function pathChangesSection(
  paths: PathChanges,
  per: Work | null,
  top: number,
  width: number,
): { title: string; body: string; notes: string[] } | null {
  const changed = paths.rows.filter(({ frequency }) => (frequency.perWork ?? frequency).change !== 0);
  if (changed.length === 0) return null;
  const shown = changed.slice(0, top);
  const { counts } = paths;
  const numbers = shown.map((row) => cells(row, per));
  const taken =
    numbers.reduce(
      (most, row) =>
        Math.max(
          most,
          row.reduce((sum, cell) => sum + Math.max(8, cell.length) + 2, 0),
        ),
      0,
    ) + 4;
  const body = shown.flatMap((row, index) => {
    const [first, ...rest] = wrap(spellPath(row), Math.max(24, width - taken));
    return [[...numbers[index], first], ...rest.map((part) => ['', '', '', '', `  ${part}`])];
  });
  const others = paths.livesOnOtherPaths.before + paths.livesOnOtherPaths.after;
  return {
    title: `paths by change of how many objects took them${per === null ? '' : ', per unit of work'}`,
    body: renderTable(columns, body, width),
    notes: [
      `${formatCount(shown.length)} of ${formatCount(changed.length)} paths that changed` +
        `${shown.length < changed.length ? ` (--paths ${changed.length} shows all)` : ''}: ` +
        `${formatCount(counts.appeared)} appeared, ${formatCount(counts.vanished)} vanished, ` +
        `${formatCount(counts.changed)} more or less often.`,
      'lives: of objects that went this way. a > b: from function to function on one core; a => b: b is on ' +
        'another core.',
      ...(others === 0
        ? []
        : [
            `On paths beyond --most-paths: ${plural(paths.livesOnOtherPaths.before, 'life')} before, ` +
              `${formatCount(paths.livesOnOtherPaths.after)} after.`,
          ]),
    ],
  };
}

function cells({ frequency, type }: PathChange, per: Work | null): string[] {
  const { before, after, change } = frequency.perWork ?? frequency;
  return per === null
    ? [formatCount(before), formatCount(after), formatChange(change), type]
    : [formatRate(before), formatRate(after), formatChange(change, formatRate), type];
}

function spellPath({ variable, allocatedBy, steps, end, freedBy, freedOnAnotherCore }: PathChange): string {
  const begin = variable ?? (allocatedBy === null ? 'begins' : `allocated in ${allocatedBy}`);
  const last = end === 'freed' ? `freed in ${freedBy ?? '(unknown)'}` : end;
  const told = foldRepeats(
    steps.map((step) => `${arrow(step.coreChange)}${spellPlace(step)}`),
    (a, b) => a === b,
  ).map(({ times, items }) => {
    const once = items.map(([step]) => step).join('');
    return times === 1 ? once : ` ${formatCount(times)} x (${once.trim()})`;
  });
  return `${begin}${told.join('')}${arrow(freedOnAnotherCore)}${last}`;
}

function arrow(changesCore: boolean): string {
  return changesCore ? ' => ' : ' > ';
}

function spellPlace({ function: name, file, line, cut }: PathPlace): string {
  if (cut) return '(cut)';
  return `${name ?? '(unknown)'}${file === undefined || file === null ? '' : ` ${briefSite(file)}:${line}`}`;
}
