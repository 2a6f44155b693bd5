// Stage: problems -> advice. What may help a struct or class.

import type { Catalog } from '../contract/catalog.js';
import type { Survey } from '../what-if/survey-columns.js';
import { alignmentOf, isScalar, membersOf } from '../what-if/layout-change.js';
import { namesOf } from '../what-if/array-change.js';
import { ObjectKind } from '../sim/sim-object.js';
import { isLone, typeOf } from '../what-if/place-objects.js';
import { headOf } from '../what-if/type-kin.js';
import { rowsOf } from './array-candidates.js';
import type { Candidate } from './candidate.js';
import { hottest, type FieldUse } from './field-uses.js';
import type { Problem } from './problem.js';

const LINE_BYTES = 64;
/** Hot fields have at least so much of the struct's references, or of its cycles. */
const HOT_SHARES = [0.7, 0.95];
const PADS = [64, 192];
/** Fewer are no structure of nodes. */
const MANY_LONE = 100;

export function structCandidates(catalog: Catalog, survey: Survey, type: number, problem: Problem): Candidate[] {
  const name = catalog.types.name[type];
  switch (problem.class) {
    case 'false-sharing':
      return aligned(catalog, type, problem);
    case 'true-sharing':
      return perThread(catalog, type, problem);
    case 'conflict':
      return [
        ...paddedRows(catalog, survey, type),
        ...PADS.map((bytes) => ({
          text: `end ${name} with ${bytes} bytes of padding, so that its objects use other sets`,
          request: { pad: [`${name}=+${bytes}`] },
        })),
        pooled(name),
      ];
    default: {
      const splits = split(catalog, type, problem);
      return [
        ...hotFirst(catalog, type, problem),
        ...splits,
        pooled(name),
        // Small hot parts bring little if each is a block of its own.
        ...(hasManyLone(catalog, survey, type) ? splits.map((one) => both(one, pooled(name))) : []),
        ...unbroken(catalog, type),
      ];
    }
  }
}

function both(one: Candidate, other: Candidate): Candidate {
  return { text: `${one.text}; ${other.text}`, request: { ...one.request, ...other.request } };
}

/** Many blocks of the heap are one object each. */
function hasManyLone(catalog: Catalog, { objects }: Survey, type: number): boolean {
  let count = 0;
  for (let object = 0; object < objects.count; object++) {
    const isOfType = objects.kind[object] === ObjectKind.heap && typeOf(objects, object) === type;
    if (isOfType && isLone(catalog, objects, object)) count++;
  }
  return count >= MANY_LONE;
}

/** Arrays of the type, with rows that are longer by whole elements. */
function paddedRows(catalog: Catalog, { objects, strides }: Survey, type: number): Candidate[] {
  const size = catalog.types.sizeBytes[type];
  const names = new Map<string, number>();
  for (const object of strides.object) {
    const isOfType = typeOf(objects, object) === type;
    const [name] = namesOf(catalog, objects, object);
    if (isOfType && name !== undefined && objects.sizeBytes[object] >= 4 * size) names.set(name, object);
  }
  return [...names.keys()].flatMap((name) =>
    rowsOf(catalog, { objects, strides }, [name])
      .filter((row) => row % size === 0)
      .map((row) => {
        const bytes = Math.ceil(LINE_BYTES / size) * size;
        return {
          text: `end the rows of ${name} (${row} bytes) with ${bytes} bytes of padding`,
          request: { padRows: [`${name}/${row}=+${bytes}`] },
        };
      }),
  );
}

function pooled(name: string): Candidate {
  return {
    text: `allocate ${name} from a pool, side by side in the order of allocation`,
    request: { pool: [name] },
  };
}

function aligned(catalog: Catalog, type: number, { sides }: Problem): Candidate[] {
  const name = catalog.types.name[type];
  const own: Candidate = {
    text: `give each ${name} lines of its own: alignas(${LINE_BYTES})`,
    request: { align: [`${name}=${LINE_BYTES}`] },
  };
  const fields = [...new Set([sides?.writer, sides?.missed].map((side) => side && topField(side.field)))].filter(
    (field): field is string => field !== undefined && memberNames(catalog, type).includes(field),
  );
  const apart = fields.map((field) => `${name}.${field}=${LINE_BYTES}`);
  const each = apart.map((align, index) => ({
    text: `begin a line at ${name}.${fields[index]}: alignas(${LINE_BYTES})`,
    request: { align: [align] },
  }));
  if (apart.length < 2) return [own, ...each];
  return [
    own,
    ...each,
    {
      text: `begin a line at each of ${name}.${fields.join(' and ')}: alignas(${LINE_BYTES})`,
      request: { align: apart },
    },
  ];
}

/** A number that one place in the program loads and stores, as one does that adds to it: each thread with its own. */
function perThread(catalog: Catalog, type: number, { row, sides }: Problem): Candidate[] {
  const { missed, writer } = sides ?? {};
  const field = missed?.field ?? null;
  if (field === null || writer?.field !== field || missed?.site !== writer.site) return [];
  const isAdded = row.fields.some((one) => one.field === field && one.stores > 0 && one.loads <= 2 * one.stores);
  const isNumber = membersOf(catalog, type).some(
    (member) => catalog.members.name[member] === field && isScalar(catalog, catalog.members.type[member]),
  );
  const name = catalog.types.name[type];
  if (!isAdded || !isNumber) return [];
  return [
    {
      text:
        `if threads only add to ${field} of ${name}: give each thread its own, ` +
        `and add them up where they are read`,
      request: { perThread: [`${name}: ${field}`] },
    },
  ];
}

/** "slots" of "slots[].key". */
function topField(field: string | null): string | undefined {
  return field === null ? undefined : /^[^.[]+/.exec(field)?.[0];
}

function memberNames(catalog: Catalog, type: number): string[] {
  return membersOf(catalog, type).map((member) => catalog.members.name[member]);
}

interface MemberUse extends FieldUse {
  readonly name: string;
}

/** Members with a name, in the order of the type, with what the run made of them. */
function usesOf(catalog: Catalog, type: number, { row }: Problem): MemberUse[] {
  const uses = new Map(memberNames(catalog, type).map((name) => [name, { name, references: 0, cycles: 0 }]));
  for (const { field, references, missLatencyCycles } of row.fields) {
    const use = uses.get(topField(field) ?? '');
    if (use === undefined) continue;
    use.references += references;
    use.cycles += missLatencyCycles;
  }
  uses.delete('');
  return [...uses.values()];
}

/** The fewest members that have this part of all there is, most first. */
function hottestNames(uses: readonly MemberUse[], of: keyof FieldUse, part: number): string[] {
  return hottest(uses, of, part).map(({ name }) => name);
}

function hotFirst(catalog: Catalog, type: number, problem: Problem): Candidate[] {
  const name = catalog.types.name[type];
  const uses = usesOf(catalog, type, problem);
  if (uses.length < 2) return [];
  const alignOf = new Map(
    membersOf(catalog, type).map((member) => [
      catalog.members.name[member],
      alignmentOf(catalog, catalog.members.type[member]),
    ]),
  );
  const packed = (fields: readonly string[]): string[] =>
    [...fields].sort((a, b) => (alignOf.get(b) ?? 1) - (alignOf.get(a) ?? 1));
  const head = uses.slice(0, headOf(catalog, type)).map((use) => use.name);
  const withRest = (hot: readonly string[]): string[] => [
    ...head,
    ...hot.filter((field) => !head.includes(field)),
    ...packed(uses.map((use) => use.name).filter((field) => !hot.includes(field) && !head.includes(field))),
  ];
  const orders = [
    ...[...HOT_SHARES, 1].map((part) => withRest(packed(hottestNames(uses, 'cycles', part)))),
    withRest(hottestNames(uses, 'cycles', 1)),
    withRest(packed(hottestNames(uses, 'references', 1))),
  ];
  const isNew = (order: readonly string[]): boolean => order.some((field, index) => field !== uses[index].name);
  return distinct(orders.filter(isNew)).map((order) => ({
    text: `order the fields of ${name} by their use: ${order.join(', ')}${unseen(uses)}`,
    request: { reorder: [`${name}: ${order.join(',')}`] },
  }));
}

/** Accesses in libc are not recorded. */
function unseen(uses: readonly MemberUse[]): string {
  const fields = uses.filter(({ references }) => references === 0).map(({ name }) => name);
  return fields.length === 0 ? '' : ` (no access to ${fields.join(', ')} was seen; what libc does is not)`;
}

function split(catalog: Catalog, type: number, problem: Problem): Candidate[] {
  const name = catalog.types.name[type];
  const uses = usesOf(catalog, type, problem);
  const head = uses.slice(0, headOf(catalog, type)).map((use) => use.name);
  const hots = HOT_SHARES.flatMap((part) => [
    hottestNames(uses, 'cycles', part),
    hottestNames(uses, 'references', part),
  ])
    .map((hot) => [...new Set([...head, ...hot])])
    .filter((hot) => hot.length > 0 && hot.length < uses.length);
  return distinct(hots.map((hot) => uses.map((use) => use.name).filter((field) => hot.includes(field)))).map((hot) => ({
    text: `keep ${hot.join(', ')} of ${name} together, and move the other fields to a part of their own${unseen(uses)}`,
    request: { split: [`${name}: ${hot.join(',')} | *`] },
  }));
}

function distinct(lists: readonly string[][]): string[][] {
  return [...new Map(lists.map((list) => [list.join(','), list])).values()];
}

/** Objects that fit into a line, and yet lie in two. */
function unbroken(catalog: Catalog, type: number): Candidate[] {
  const size = catalog.types.sizeBytes[type];
  const align = 2 ** Math.ceil(Math.log2(Math.max(1, size)));
  if (size >= LINE_BYTES || LINE_BYTES % size === 0 || align > LINE_BYTES) return [];
  const name = catalog.types.name[type];
  return [
    {
      text: `align ${name} to ${align} bytes, so that none lies in two lines`,
      request: { align: [`${name}=${align}`] },
      tells: 'straddling',
    },
  ];
}
