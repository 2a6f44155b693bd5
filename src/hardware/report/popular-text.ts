// Stage: histories -> text. The types and slots that `dprof history --popular` chose to watch, and the counts that it
// chose by.

import type { Popularity, PopularChoice } from '../samples/popular-slots.js';
import { formatCount } from '../../base/format-number.js';
import type { TextStyle } from '../../report/text-style.js';
import { renderTable } from '../../report/text-table.js';

export function renderPopular(
  { by, all, types, sampledTypes }: PopularChoice,
  samples: string,
  { width, strong }: TextStyle,
): string {
  const missed = (count: number): string => (by === 'misses' ? formatCount(count) : '-');
  const counts = ({ samples: own, misses, accesses, missedAccesses }: Popularity): string[] => [
    formatCount(own),
    missed(misses),
    formatCount(Number(accesses)),
    missed(Number(missedAccesses)),
  ];
  const slots = (chosen: number, sampled: number): string =>
    chosen === sampled ? '' : `${formatCount(chosen)} of ${formatCount(sampled)} sampled slots`;
  const rule = by === 'misses' ? 'most L1 misses' : 'most samples, since none says what it missed';
  const table = renderTable(
    [
      { heading: 'type, slot', align: 'left', shortest: 16 },
      { heading: 'fields', align: 'left', shortest: 12, isList: true },
      { heading: 'samples', align: 'right' },
      { heading: 'L1 misses', align: 'right' },
      { heading: 'accesses', align: 'right', expendable: 2 },
      { heading: 'misses of them', brief: 'misses', align: 'right', expendable: 1 },
    ],
    [
      ...types.flatMap((type) => [
        [type.name, slots(type.slots.length, type.sampledSlots), ...counts(type)],
        ...type.slots.map((slot) => [
          `  ${slot.offset}-${slot.offset + slot.bytes - 1}`,
          slot.fields.join(', '),
          ...counts(slot),
        ]),
      ]),
      ['all samples', '', ...counts(all)],
    ],
    width,
  );
  return (
    strong(
      `watched: ${formatCount(types.length)} of ${formatCount(sampledTypes)} sampled types, those of ${rule} in ` +
        `${samples}`,
    ) + `\n${table}\n`
  );
}
