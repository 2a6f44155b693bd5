// Stage: views -> text. The typing ledger as a table.

import type { TypingCounts, TypingGroup } from '../views/typing-ledger.js';
import type { SampledView, View } from '../views/view.js';
import { estimateOf } from '../base/estimate.js';
import { formatEstimate } from '../base/format-estimate.js';
import { formatCount, formatShare } from '../base/format-number.js';
import { renderTable, type TextColumn } from './text-table.js';
import { TYPING_GROUP_NAMES } from './typing-groups.js';

export function ledgerTable({ typing, sampled }: View<unknown> | SampledView<unknown>, width: number): string {
  const spell = (count: number): string =>
    sampled === undefined ? formatCount(count) : formatEstimate(estimateOf(count));
  const columns: TextColumn[] = [
    { heading: 'typing', align: 'left' },
    { heading: 'references', align: 'right' },
    { heading: 'of all', align: 'right' },
    { heading: 'L1 misses', align: 'right' },
    { heading: 'of all', align: 'right' },
  ];
  const cells = (counts: TypingCounts, group: TypingGroup): string[] => [
    spell(counts.groups[group]),
    formatShare(counts.groups[group], counts.of),
  ];
  const rows = (Object.keys(TYPING_GROUP_NAMES) as TypingGroup[]).map((group) => [
    TYPING_GROUP_NAMES[group],
    ...cells(typing.references, group),
    ...cells(typing.l1Misses, group),
  ]);
  return renderTable(columns, rows, width);
}
