// Stage: HTML page. The sentences to take away from two runs, by rules from the comparison: the type that changed most,
// by how much, per what, and the facts that weaken this.

import { changeOf, type AverageChange, type BeforeAfter } from '../../src/diff/change.js';
import { mostChangedClass } from '../../src/diff/changed.js';
import type { Diff } from '../../src/diff/diff.js';
import { isClass, SORT_NAMES } from '../../src/diff/rank.js';
import type { TypeChangeRow } from '../../src/diff/type-changes.js';
import { formatChange, formatCount, formatShare, plural } from '../../src/base/format-number.js';
import type { LevelName } from '../../src/contract/machine.js';
import { LEVEL_NAMES } from '../../src/views/class-names.js';
import { CLASS_MEANINGS, CLASS_NAMES } from '../classes.js';
import type { Takeaway, Words } from '../takeaway.js';
import { spellRatio } from '../words.js';
import { classMeasure, COUNT_MEASURES, OBJECTS_MEASURES, rankObjects, type CountMeasure } from './measures.js';
import { askedNumbers, type Numbers } from './numbers.js';

/** A share of the largest change: a change the other way that is at least as large is worth a sentence. */
const ALSO = 0.1;
/** A share of the larger of both sides, before and after: a working set that changed less counts as unchanged. */
const NOTABLE = 0.05;
/** If one run did this many times the work of the other, they can only be compared per unit of work. */
const MORE_WORK = 1.1;
const MOSTLY = 0.5;

/** The number that the comparison is sorted by: its place in a row, and its spelling. */
interface Sorted {
  readonly read: (row: TypeChangeRow) => BeforeAfter | AverageChange | null;
  readonly spell: (value: number) => string;
  /** null for objects, which have no fields and are never divided by work. */
  readonly counted: CountMeasure | null;
  readonly per: Words;
}

function sortedBy({ sort, level }: Diff, numbers: Numbers): Sorted {
  const counted = isClass(sort) ? classMeasure(sort, level) : COUNT_MEASURES.find(({ id }) => id === sort);
  if (counted !== undefined)
    return { read: (row) => numbers.of(counted.read(row)), spell: numbers.spell, counted, per: numbers.per };
  const { read, spell } = OBJECTS_MEASURES.find(({ id }) => id === sort)!;
  return { read: ({ objects }) => objects && read(objects), spell, counted: null, per: [] };
}

/** null: nothing did. */
export function mostChanged(diff: Diff): TypeChangeRow | null {
  const { read } = sortedBy(diff, askedNumbers(diff, new URLSearchParams()));
  return diff.rows.find((row) => (read(row)?.change ?? 0) !== 0) ?? null;
}

/** `fields` of what changed most. */
export function takeAwayChange(diff: Diff, fields: readonly TypeChangeRow[]): Takeaway {
  const { rows, sort, level, totals } = diff;
  const numbers = askedNumbers(diff, new URLSearchParams());
  if (totals.references.before + totals.references.after === 0)
    return {
      sentence: ['Nothing was recorded: neither run made a reference that dprof saw.'],
      further: [],
      next: null,
    };
  const { read, spell, counted, per } = sortedBy(diff, numbers);
  const all: Words[] =
    counted === null
      ? []
      : [['All types together: ', ...told(numbers.of(counted.read(totals)), spell), ` ${counted.name}`, ...per, '.']];
  const besides = [...objectsLine(diff), ...pathsLine(diff), ...cautions(diff)];
  const first = mostChanged(diff);
  if (first === null)
    return {
      sentence: [`No type changed: its ${SORT_NAMES[sort]}`, ...per, ' before and after are the same.'],
      further: [...all, ...besides],
      next: null,
    };
  const value = read(first)!;
  const size = (row: TypeChangeRow): number => -Math.sign(value.change!) * (read(row)?.change ?? 0);
  const other = rows.find((row) => size(row) >= ALSO * Math.abs(value.change!));
  return {
    sentence: [
      { name: first.type },
      ` changed most: its ${SORT_NAMES[sort]}`,
      ...per,
      ' went ',
      ...told(value, spell),
      '.',
    ],
    further: [
      ...(counted === null
        ? []
        : [...classLine(first, counted.level ?? level, numbers), ...fieldLine(fields, counted, numbers)]),
      ...(other === undefined
        ? []
        : [['The other way went most ', { name: other.type }, ': ', ...told(read(other)!, spell), '.']]),
      ...all,
      ...besides,
    ],
    next:
      counted === null
        ? { page: 'objects', type: first.type, label: 'Working set and lifetimes: what became of its objects' }
        : { page: 'fields', type: first.type, label: 'Fields: which of them changed' },
  };
}

/** "from 12 to 3 (-9, 0.25 x)". */
function told({ before, after, change }: BeforeAfter | AverageChange, spell: (size: number) => string): string[] {
  const text = (value: number | null): string => (value === null ? '-' : spell(value));
  const ratio =
    before === null || after === null || before === 0 || after === 0 ? '' : `, ${spellRatio(after / before)}`;
  return [
    `from ${text(before)} to ${text(after)}` +
      `${change === null || change === 0 ? '' : ` (${formatChange(change, spell)}${ratio})`}`,
  ];
}

function classLine({ levels }: TypeChangeRow, level: LevelName, numbers: Numbers): Words[] {
  const most = mostChangedClass(levels[level].classes);
  if (most === null) return [];
  const { name, share } = most;
  return [
    [
      `Of its ${LEVEL_NAMES[level]} misses ${CLASS_NAMES[name]} changed most (${formatShare(share, 1)} of what all ` +
        'changed), ',
      ...told(numbers.of(levels[level].classes[name]), numbers.spell),
      `: ${CLASS_MEANINGS[name]}.`,
    ],
  ];
}

function fieldLine([field]: readonly TypeChangeRow[], { read }: CountMeasure, numbers: Numbers): Words[] {
  if (field === undefined || changeOf(read(field)) === 0) return [];
  return [
    [
      'Its field that changed most is ',
      { name: field.field! },
      ', ',
      ...told(numbers.of(read(field)), numbers.spell),
      '.',
    ],
  ];
}

/**
 * The sentence about objects. There is none if the comparison is sorted by objects, since the first sentence is then
 * about them.
 */
function objectsLine({ sort, rows }: Diff): Words[] {
  const [measure] = OBJECTS_MEASURES;
  const [first] = rankObjects(rows, measure);
  if (OBJECTS_MEASURES.some(({ id }) => id === sort) || first === undefined) return [];
  const { before, after, change } = first.objects.workingSetBytes;
  if (Math.abs(change) <= NOTABLE * Math.max(before, after)) return [];
  return [
    [
      'The working set of ',
      { name: first.type },
      ' changed most: ',
      ...told(measure.read(first.objects), measure.spell),
      '.',
    ],
  ];
}

function pathsLine({ paths }: Diff): Words[] {
  if (paths === null) return [];
  const { appeared, vanished, changed } = paths.counts;
  return appeared + vanished + changed === 0
    ? []
    : [
        [
          `${plural(appeared, 'path')} appeared, ${formatCount(vanished)} vanished, ${formatCount(changed)} ` +
            `${changed === 1 ? 'is' : 'are'} taken more or less often.`,
        ],
      ];
}

/** Facts that weaken the sentence above. Differences in how the runs were made stand on the page itself. */
function cautions({ per, totals: { references }, before, after }: Diff): Words[] {
  const ratio = references.before === 0 ? 1 : references.after / references.before;
  const isBound = [before, after].some(
    ({ orderBound: { transfers, orderBoundTransfers } }) => orderBoundTransfers > MOSTLY * transfers,
  );
  return [
    ...(per === null && (ratio > MORE_WORK || ratio < 1 / MORE_WORK)
      ? [
          [
            `The runs did not do the same: the one after made ${spellRatio(ratio)} the references of the one ` +
              'before. --per MARK compares them per unit of work.',
          ],
        ]
      : []),
    ...(before.truncated || after.truncated
      ? [
          [
            (before.truncated
              ? after.truncated
                ? 'Both traces were'
                : 'The trace before was'
              : 'The trace after was') + ' cut: its numbers are of the part that was recorded.',
          ],
        ]
      : []),
    ...(isBound
      ? [['Most transfers between cores were bound by locks, atomics or system calls: their order is as recorded.']]
      : []),
  ];
}
