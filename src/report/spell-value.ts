// Stage: views -> text. The value of a cell as people read it, by the kind of its column: the one place where text
// tells a number from an estimate.

import { isEstimate, type Estimate } from '../base/estimate.js';
import {
  formatBetween,
  formatEstimate,
  formatEstimatedBytes,
  formatEstimatedShare,
  formatMean,
  formatTime,
} from '../base/format-estimate.js';
import {
  formatAverage,
  formatBytes,
  formatCount,
  formatCycles,
  formatRange,
  formatShare,
} from '../base/format-number.js';
import { briefSite } from '../views/sites.js';
import type { Column, Share, Unit, Value } from '../views/columns.js';

const NUMBERS: Readonly<
  Partial<Record<Unit, readonly [exact: (value: number) => string, drawn: (value: Estimate) => string]>>
> = {
  count: [formatCount, formatEstimate],
  bytes: [formatBytes, formatEstimatedBytes],
  cycles: [formatCycles, formatMean],
  average: [formatAverage, formatBetween],
  nanoseconds: [formatTime, ({ value }) => `~${formatTime(value)}`],
};

export function spellValue({ unit, nothing = '-' }: Pick<Column<never>, 'unit' | 'nothing'>, value: Value): string {
  if (value === null) return nothing;
  if (typeof value === 'string') return unit === 'site' ? briefSite(value) : value;
  if (typeof value === 'boolean') return value ? 'yes' : '';
  if (typeof value === 'number') return NUMBERS[unit]?.[0](value) ?? String(value);
  if (isEstimate(value)) return unit === 'share' ? formatEstimatedShare(value) : NUMBERS[unit]![1](value);
  if ('minimum' in value) return formatRange(value);
  if ('whole' in value) return spellShare(unit, value);
  return value.join(' ');
}

function spellShare(unit: Unit, { part, whole }: Share): string {
  return unit === 'of' ? `${formatCount(part)} of ${formatCount(whole)}` : formatShare(part, whole);
}

const LEFT: readonly Unit[] = ['name', 'type', 'site', 'words', 'flag', 'flags', 'bars'];

export function alignmentOf({ unit, align }: Pick<Column<never>, 'unit' | 'align'>): 'left' | 'right' {
  return align ?? (LEFT.includes(unit) ? 'left' : 'right');
}
