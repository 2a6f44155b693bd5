// Stage: HTML page. Columns of what was counted in two runs: of one measure before, after and change, of the others the
// change.

import { mostChangedClass } from '../../src/diff/changed.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { formatShare } from '../../src/base/format-number.js';
import { CLASS_NAMES } from '../classes.js';
import { beforeAfterColumns, changeColumn, ratioColumn, wordsColumn, type Column } from '../columns.js';
import { COUNT_MEASURES, type CountMeasure } from './measures.js';
import type { Numbers } from './numbers.js';

export function countedColumns(measure: CountMeasure, { at, unit }: Numbers): Column<TypeChangeRow>[] {
  const { path, name, meaning, level } = measure;
  return [
    ...beforeAfterColumns<TypeChangeRow>(['before', 'after'], at(path), unit, {
      meaning: `${name}${meaning === undefined ? '' : `: ${meaning}`}`,
    }),
    changeColumn(name, at(path), unit, { meaning: 'after minus before' }),
    ratioColumn('ratio', at(path), { meaning: 'after : before' }),
    ...(level === undefined
      ? []
      : [
          wordsColumn<TypeChangeRow>('class', 'most of it', (row) => spellClass(row.levels[level].classes), {
            width: 20,
            meaning: 'the class that changed most, and its share of what all classes changed, whichever way',
          }),
        ]),
    wordsColumn('presence', 'in', ({ presence }) => (presence === 'both' ? '' : presence), {
      width: 9,
      meaning: 'appeared: only in the run after; vanished: only in the one before',
    }),
    ...COUNT_MEASURES.filter((one) => one !== measure).map((one) =>
      changeColumn<TypeChangeRow>(one.name, at(one.path), unit, {
        meaning: `change of ${one.name}${one.meaning === undefined ? '' : `: ${one.meaning}`}`,
      }),
    ),
  ];
}

function spellClass(classes: TypeChangeRow['levels']['l1']['classes']): string {
  const most = mostChangedClass(classes);
  return most === null ? '-' : `${CLASS_NAMES[most.name]} ${formatShare(most.share, 1)}`;
}
