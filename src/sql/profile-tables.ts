// Stage: profile -> SQL. Tables of a profile: each view's rows, and the objects, types and source positions that its
// numbers are of. A table is made when a query names it.

import type { RowKind } from '../exports/row-columns.js';
import { FAMILIES, OBJECT_KINDS, type Profile } from '../profile/profile.js';
import { listObjects } from '../profile/object-source.js';
import { csvRows } from '../report/csv-rows.js';
import { spellFunction, spellName, spellSite } from '../views/sites.js';
import { buildView, VIEW_NAMES, type ViewName } from '../views/views.js';

/** 'data-profile' is data_profile in SQL. */
const spell = (view: ViewName): string => view.replaceAll('-', '_');
/** `schedules` is of a replay under several. */
const VIEWS = VIEW_NAMES.filter((view) => view !== 'schedules');
const OWN = { allocations, objects, types, sites } as const;

export const PROFILE_TABLES: readonly string[] = [...Object.keys(OWN), ...VIEWS.map(spell)];

/** The view that a table is of; undefined: it is none's. */
export function viewCalled(table: string): ViewName | undefined {
  return VIEWS.find((view) => spell(view) === table);
}

/** Columns of tables that are too long to be held while their columns are found out; null: of all others. */
export function tableColumns(table: string): Readonly<Record<string, RowKind>> | null {
  return table === 'objects' || table === 'allocations' ? OF_OBJECTS : null;
}

export function tableRows(profile: Profile, table: string): Iterable<object> {
  const view = viewCalled(table);
  if (view === undefined) return OWN[table as keyof typeof OWN](profile);
  return csvRows(buildView(profile, view, {}));
}

function* allocations(profile: Profile): Generator<object> {
  for (const row of objects(profile)) if (row.kind === 'heap') yield row;
}

const OF_OBJECTS = {
  object: 'INT64',
  kind: 'STRING',
  type: 'STRING',
  address: 'INT64',
  size: 'INT64',
  site: 'STRING',
  function: 'STRING',
  variable: 'STRING',
  thread: 'INT64',
  born: 'INT64',
  died: 'INT64',
  lives: 'INT64',
  references: 'INT64',
  freed_at: 'STRING',
  call_path: 'STRING',
} as const satisfies Readonly<Record<string, RowKind>>;

/** `object` is the number that `refs` has; times are replay time. */
function* objects(profile: Profile): Generator<Record<keyof typeof OF_OBJECTS, unknown>> {
  const { types } = profile;
  for (const { first, objects: of } of listObjects(profile))
    for (let row = 0; row < of.type.length; row++)
      yield {
        object: first + row,
        kind: OBJECT_KINDS[of.kind[row]] as string,
        type: profile.strings[types.name[of.type[row]]],
        address: of.address[row],
        size: of.sizeBytes[row],
        site: spellSite(profile, of.site[row]),
        function: spellFunction(profile, of.site[row]),
        variable: spellName(profile, of.variable[row]),
        thread: of.thread[row],
        born: of.bornAt[row],
        /** null: it lived to the end. */
        died: of.diedAt[row] < 0 ? null : of.diedAt[row],
        lives: of.lives[row],
        references: of.references[row],
        freed_at: spellSite(profile, of.freeSite[row]),
        call_path: spellName(profile, of.callPath[row])?.replaceAll('\n', ' < ') ?? null,
      };
}

function* types(profile: Profile): Generator<object> {
  const { types: of, strings } = profile;
  for (let row = 0; row < of.name.length; row++)
    yield { type: strings[of.name[row]], family: FAMILIES[of.family[row]] };
}

function* sites(profile: Profile): Generator<object> {
  const { sites: of, strings } = profile;
  for (let row = 0; row < of.file.length; row++)
    yield {
      function: spellFunction(profile, row),
      file: strings[of.file[row]] || null,
      line: of.line[row] || null,
      column: of.column[row] || null,
    };
}
