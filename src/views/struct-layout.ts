// Stage: profile -> views. Struct layouts: every type whose members are known, with holes and padding, what each member
// missed, which cores referenced it, and how many of its bytes were fetched for nothing.

import { formatCount } from '../base/format-number.js';
import { DprofError } from '../base/dprof-error.js';
import { NO_INDEX } from '../base/ids.js';
import { CLASSES, type LevelName } from '../contract/machine.js';
import type { Profile } from '../profile/profile.js';
import { annotateLayout, type AnnotatedMember, type LayoutFacts } from './annotated-type.js';
import { CLASS_NAMES, LEVEL_NAMES } from './class-names.js';
import { blankUnless, column, count, name, share, type Column } from './columns.js';
import { costliestColumn } from './cost-columns.js';
import { compareRanks, CounterSums, rankSums } from './counter-sums.js';
import { wrapRows } from './envelope.js';
import { classify, type Classified } from './level-misses.js';
import { spellOrder } from './sort-rows.js';
import type { View, ViewOptions } from './view.js';
import type { ViewDefinition } from './view-definition.js';
import type { LoadsAndStores } from './data-profile-rows.js';

export interface CoreUse {
  readonly core: number;
  readonly references: LoadsAndStores;
  /** Misses of the L1. */
  readonly misses: number;
}

export interface LayoutMember extends AnnotatedMember {
  /** Only on rows of members, of the type, and of bytes that belong to no member; ascending. */
  readonly cores?: readonly CoreUse[];
  /**
   * `fetchedBytes`: the bytes that came into an L1; `unusedBytes`: those of them that were never referenced before
   * their line left.
   */
  readonly fetchedBytes?: number;
  readonly unusedBytes?: number;
}

export interface StructLayoutRow extends Omit<LayoutFacts, 'name'>, Classified {
  readonly type: string;
  /**
   * Which of the `layouts` of this name: types of one name may differ, and counts are those of all of them together.
   */
  readonly layout: number;
  readonly layouts: number;
  readonly fetchedBytes: number;
  readonly unusedBytes: number;
  /** By offset, the type itself first; nested ones follow the member they lie in. */
  readonly rows: readonly LayoutMember[];
}

export type StructLayout = View<StructLayoutRow>;

/** Types that were referenced, by estimated cycles, then L1 misses, then name. */
function buildStructLayout(profile: Profile, { level }: ViewOptions = {}): StructLayout {
  const { layouts } = profile;
  if (layouts === undefined)
    throw new DprofError(
      'this profile says nothing of how types are laid out: an older dprof wrote it',
      'replay the trace again: dprof replay TRACE -o PROFILE',
    );
  const uses = sumTypes(profile);
  const compare = compareRanks('cycles');
  const numbers = new Map<string, number>();
  const named = layouts.flatMap((layout) => {
    const use = uses.get(layout.name);
    const number = numbers.get(layout.name) ?? 0;
    numbers.set(layout.name, number + 1);
    return use === undefined ? [] : [{ layout, use, number }];
  });
  const rows = named
    .sort(
      (a, b) =>
        compare(rankSums(a.use.whole, a.layout.name), rankSums(b.use.whole, b.layout.name)) || a.number - b.number,
    )
    .map(({ layout, use, number }): StructLayoutRow => {
      const sums = new Map([...use.fields].map(([field, own]) => [field, own.all]));
      const {
        facts: { name, ...facts },
        rows: members,
      } = annotateLayout(
        profile,
        layout,
        number,
        use.whole,
        sums,
        'offset',
        (fields) => spellUse(fields.map((field) => use.fields.get(field)!)),
        level,
      );
      const { fetchedBytes, unusedBytes } = addBytes([...use.fields.values()]);
      return {
        type: name,
        layout: number,
        layouts: numbers.get(name)!,
        ...facts,
        ...classify(use.whole, profile.machine, level),
        fetchedBytes,
        unusedBytes,
        rows: members,
      };
    });
  return wrapRows(profile, 'struct-layout', rows, { level });
}

class FieldUse {
  readonly all = new CounterSums();
  readonly byCore = new Map<number, CounterSums>();
  fetchedBytes = 0;
  unusedBytes = 0;

  ofCore(core: number): CounterSums {
    let sums = this.byCore.get(core);
    if (sums === undefined) this.byCore.set(core, (sums = new CounterSums()));
    return sums;
  }
}

class TypeUse {
  readonly whole = new CounterSums();
  /** null: what names no field. */
  readonly fields = new Map<string | null, FieldUse>();

  ofField(field: string | null): FieldUse {
    let use = this.fields.get(field);
    if (use === undefined) this.fields.set(field, (use = new FieldUse()));
    return use;
  }
}

function sumTypes({ tallies, unusedBytes: unused, types, strings }: Profile): Map<string, TypeUse> {
  const uses = new Map<string, TypeUse>();
  const nameOf = (type: number): string => strings[types.name[type]];
  const fieldOf = (field: number): string | null => (field === NO_INDEX ? null : strings[field]);
  tallies.type.forEach((type, row) => {
    let use = uses.get(nameOf(type));
    if (use === undefined) uses.set(nameOf(type), (use = new TypeUse()));
    const field = use.ofField(fieldOf(tallies.field[row]));
    for (const sums of [use.whole, field.all, field.ofCore(tallies.core[row])]) sums.add(tallies, row);
  });
  unused.type.forEach((type, row) => {
    const field = uses.get(nameOf(type))?.ofField(fieldOf(unused.field[row]));
    if (field === undefined) return;
    field.fetchedBytes += unused.fetchedBytes[row];
    field.unusedBytes += unused.unusedBytes[row];
  });
  return uses;
}

function addBytes(uses: readonly FieldUse[]): { fetchedBytes: number; unusedBytes: number } {
  return uses.reduce(
    (sum, { fetchedBytes, unusedBytes }) => ({
      fetchedBytes: sum.fetchedBytes + fetchedBytes,
      unusedBytes: sum.unusedBytes + unusedBytes,
    }),
    { fetchedBytes: 0, unusedBytes: 0 },
  );
}

function spellUse(uses: readonly FieldUse[]): Pick<LayoutMember, 'cores' | 'fetchedBytes' | 'unusedBytes'> {
  const byCore = new Map<number, CounterSums>();
  for (const use of uses) {
    for (const [core, sums] of use.byCore) {
      const all = byCore.get(core) ?? new CounterSums();
      byCore.set(core, all);
      all.addSums(sums);
    }
  }
  const cores = [...byCore]
    .sort(([a], [b]) => a - b)
    .map(
      ([core, sums]): CoreUse => ({
        core,
        references: { loads: sums.get('loads'), stores: sums.get('stores') },
        misses: sums.misses('l1'),
      }),
    );
  return { cores, ...addBytes(uses) };
}

function columnsOf(view: StructLayout): Column<StructLayoutRow>[] {
  const { level } = view;
  return [
    column('type', 'type', 'type', spellType, { shortest: 16 }),
    count('est. cycles', 'missLatencyCycles', { meaning: 'latency of the accesses that missed the L1.' }),
    costliestColumn<StructLayoutRow>(view, 5),
    count(`${LEVEL_NAMES[level]} misses`, `levels.${level}.misses`),
    ...LAYOUT_COLUMNS,
  ];
}

const LAYOUT_COLUMNS: readonly Column<StructLayoutRow>[] = [
  count('bytes', 'sizeBytes'),
  count('lines', 'cacheLines', { meaning: 'cache lines, of an object that begins with one.' }),
  count('members', 'members', { expendable: 4 }),
  count('holes', 'sumHoles', { meaning: 'bytes between members.', expendable: 1 }),
  count('padding', 'padding', { meaning: 'bytes behind the last one.', expendable: 2 }),
  count('fetched bytes', 'fetchedBytes', { expendable: 3 }),
  share(
    'unused',
    'unusedBytes',
    { paths: ['fetchedBytes'] },
    {
      meaning: 'of the bytes fetched into an L1, those that nothing referenced before their line left.',
    },
  ),
];

function spellType({ type, layout, layouts }: StructLayoutRow): string {
  return layouts === 1 ? type : `${type} (${layout + 1} of ${layouts})`;
}

/** Columns of the page's table of members. */
export function memberColumns(
  { missLatencyCycles }: StructLayoutRow,
  level: LevelName,
  spellMember: (member: LayoutMember) => string,
): Column<LayoutMember>[] {
  const ofType = { paths: ['totals.missLatencyCycles'], envelope: { totals: { missLatencyCycles } } };
  const counted = (columns: readonly Column<LayoutMember>[]): Column<LayoutMember>[] =>
    blankUnless((member) => member.levels !== undefined, columns);
  const misses = (one: LevelName): Column<LayoutMember> => count(`${LEVEL_NAMES[one]} misses`, `levels.${one}.misses`);
  return [
    column('name', 'name', 'member', spellMember, { width: 28 }),
    count('offset', 'offsetBytes', { meaning: 'bytes before it' }),
    ...counted([
      count('est. cycles', 'missLatencyCycles', { meaning: 'latency of the accesses that missed the L1' }),
      misses('l1'),
      ...(level === 'l1' ? [] : [misses(level)]),
      ...CLASSES.map((one) => count<LayoutMember>(CLASS_NAMES[one], `levels.${level}.classes.${one}`)),
      share('of the type', 'missLatencyCycles', ofType, { meaning: "of the type's estimated cycles" }),
    ]),
    count('bytes', 'sizeBytes'),
    ...counted([count('loads', 'references.loads'), count('stores', 'references.stores')]),
    column('words', 'cores', 'cores: L1 misses', spellCores, { width: 26, meaning: 'cores that referenced it' }),
    ...counted([
      count('fetched bytes', 'fetchedBytes', { meaning: 'bytes of it that were fetched into an L1' }),
      share(
        'unused',
        'unusedBytes',
        { paths: ['fetchedBytes'] },
        { meaning: 'of the bytes fetched into an L1, those that nothing referenced before their line left' },
      ),
    ]),
    name('type', 'type', { width: 24, nothing: '' }),
  ];
}

function spellCores({ cores = [] }: LayoutMember): string {
  return cores.map(({ core, misses }) => `${core}: ${formatCount(misses)}`).join(', ');
}

export const structLayout: ViewDefinition<StructLayout> = {
  build: buildStructLayout,
  needs: 'layouts',
  inReport: 'by type',
  hasLevels: true,
  columns: columnsOf,
  table(view, top) {
    const { rows } = view;
    const shown = rows.slice(0, top);
    return {
      title: `struct layout: types whose members are known, by ${spellOrder(view)}`,
      columns: columnsOf(view),
      lines: shown,
      empty: 'no type whose members are known was referenced',
      notes: [
        `${shown.length} of ${formatCount(rows.length)} types; dprof annotate --type shows one of them, member ` +
          'by member.',
      ],
    };
  },
};
