// Stage: replay -> profile. Spells the row type and field of a reference from the catalog and the rule that typed it
// (docs/replay/objects.md, "Types of references"), and names sites and objects.

import { NO_INDEX } from '../base/ids.js';
import { TYPE_KINDS, type Catalog } from '../contract/catalog.js';
import { holdsMore, isBesideVote, Memory, memoryOf } from '../contract/memory-types.js';
import { PATH_LEAF, POOL_FLAG, RULES, type CallPathTable, type ObjectTable } from '../contract/result.js';
import { OFFSET_UNKNOWN } from '../trace/layout.js';
import { FAMILIES, OBJECT_KINDS } from './profile.js';
import type { PathBy } from '../replay/places.js';
import { UNION_LEAF } from '../trace/leaf-table.js';
import type { RowTypeBuilder, SiteBuilder, StringBuilder } from './name-tables.js';
import { SiteNames } from './site-names.js';

const rule = Object.fromEntries(RULES.map((name, index) => [name, index])) as Record<(typeof RULES)[number], number>;
const family = Object.fromEntries(FAMILIES.map((name, index) => [name, index])) as Record<
  (typeof FAMILIES)[number],
  number
>;
const heap = OBJECT_KINDS.indexOf('heap');
const global = OBJECT_KINDS.indexOf('global');
const firstAggregate = TYPE_KINDS.indexOf('struct');
const lastAggregate = TYPE_KINDS.indexOf('class');

export interface RowName {
  readonly type: number;
  /** String number while building; NO_INDEX: none. */
  readonly field: number;
}

export class RowNames {
  readonly #siteTypes = new Map<string, number>();
  readonly #placesOfFunction = new Map<string, Set<string>>();
  readonly #siteNames: SiteNames;

  constructor(
    readonly catalog: Catalog,
    readonly strings: StringBuilder,
    readonly types: RowTypeBuilder,
    readonly sites: SiteBuilder,
    callPaths?: CallPathTable,
  ) {
    this.#siteNames = new SiteNames(catalog, strings, sites, callPaths);
  }

  isAggregate(type: number): boolean {
    const kind = this.catalog.types.kind[type];
    return kind >= firstAggregate && kind <= lastAggregate;
  }

  /** Row of the profile's types for a type of the catalog. */
  rowType(type: number): number {
    if (type === 0) return this.untyped();
    const { name, kind } = this.catalog.types;
    return this.types.intern(
      name[type] || `(unnamed ${TYPE_KINDS[kind[type]]})`,
      this.isAggregate(type) ? family.aggregate : family.scalar,
    );
  }

  untyped(): number {
    return this.types.intern('(untyped)', family.untyped);
  }

  /** Bytes of a line that lie in nothing that lives. */
  noObject(): number {
    return this.types.intern('(no object)', family.untyped);
  }

  /**
   * `heap-SIZE@function`: untyped heap objects by size and the function that allocates them, with its place if another
   * function is called so.
   */
  siteType(allocationSlot: number, sizeBytes: number): number {
    return this.#bySite('heap', allocationSlot, sizeBytes);
  }

  /** `pool-SIZE@function`: what names no struct in heap objects in which accesses name several. */
  poolType(allocationSlot: number, sizeBytes: number): number {
    return this.#bySite('pool', allocationSlot, sizeBytes);
  }

  /** Bytes of heap objects outside the struct that they were declared or voted. */
  besideType(type: number): number {
    return this.types.intern(`bytes beside ${this.types.name(this.rowType(type))}`, family['heap-site']);
  }

  #bySite(what: 'heap' | 'pool', allocationSlot: number, sizeBytes: number): number {
    const key = `${what} ${allocationSlot} ${sizeBytes}`;
    let type = this.#siteTypes.get(key);
    if (type === undefined) {
      const allocator = allocationSlot === NO_INDEX ? 0 : this.#allocatingFunction(allocationSlot);
      const { functions } = this.catalog;
      const place = this.#isShared(functions.name[allocator])
        ? ` (${functions.file[allocator]}:${functions.line[allocator]})`
        : '';
      type = this.types.intern(
        `${what}-${sizeBytes}@${functions.name[allocator] || '(unknown)'}${place}`,
        family['heap-site'],
      );
      this.#siteTypes.set(key, type);
    }
    return type;
  }

  /** The innermost that is no library's, of those that were inlined into one another. */
  #allocatingFunction(slot: number): number {
    const { slots, positions, systemFiles } = this.catalog;
    let [name, at] = [slots.function[slot], slots.inlinedAt[slot]];
    for (let file = slots.file[slot]; at !== 0 && systemFiles.has(file); at = positions.inlinedAt[at])
      [name, file] = [positions.function[at], positions.file[at]];
    return name;
  }

  /** One function a line; NO_INDEX for none. */
  functionPath(path: Uint32Array): number {
    const known = [...path].filter((row) => row !== NO_INDEX);
    return known.length === 0
      ? NO_INDEX
      : this.strings.intern(known.map((row) => this.catalog.functions.name[row] ?? '').join('\n'));
  }

  /** The site in the source of a slot's access, allocation or free. */
  slotSite(slot: number): number {
    return this.#siteNames.ofSlot(slot);
  }

  /** The site of a step's place, as --path-by has it; NO_INDEX: of what was cut. */
  placeSite(place: number, by: PathBy): number {
    if (place === NO_INDEX) return NO_INDEX;
    return by === 'ip' ? this.slotSite(place) : this.#siteNames.ofPlace(place, by);
  }

  /** The site of an allocation, with its callers if they are known; 0 for "unknown". */
  allocationSite(callPath: number, slot: number): number {
    return this.#siteNames.ofPath(callPath) || this.slotSite(slot);
  }

  /** The allocation site of a tally's row, if rows are told apart by it. */
  origin(ruleIndex: number, type: number, leaf: number): number {
    const site = leaf === NO_INDEX || leaf < PATH_LEAF ? 0 : this.#siteNames.ofPath(leaf - PATH_LEAF);
    return site === 0 && ruleIndex === rule.site ? this.slotSite(type) : site;
  }

  /** The site of the variable's declaration; 0 for "unknown". */
  variableSite(variable: number): number {
    const { variables, functions } = this.catalog;
    if (variable === 0) return 0;
    return this.sites.intern(
      functions.name[variables.function[variable]] ?? '',
      variables.file[variable],
      variables.line[variable],
      0,
    );
  }

  variableName(variable: number): number {
    return variable === 0 ? NO_INDEX : this.#field(this.catalog.variables.name[variable]);
  }

  /** The names of a tally's row: `type`, `siteBytes` and `leaf` as an engine gives them. */
  tally(slot: number, ruleIndex: number, type: number, siteBytes: number, leaf: number): RowName {
    const { slots } = this.catalog;
    switch (ruleIndex) {
      case rule.object:
        return { type: this.rowType(type), field: this.#objectField(slot, type, leaf) };
      case rule.descriptor:
        return { type: this.rowType(slots.type[slot]), field: this.#field(slots.path[slot]) };
      case rule.vote:
        return { type: this.rowType(type), field: NO_INDEX };
      case rule.site:
        return { type: this.siteType(type, siteBytes), field: NO_INDEX };
      case rule.pool:
        return { type: this.poolType(type, siteBytes), field: NO_INDEX };
      case rule.behind:
      case rule.beside:
        return { type: this.besideType(type), field: NO_INDEX };
      case rule.variable:
        return { type: this.rowType(slots.type[slot]), field: this.variableName(slots.variable[slot]) };
      case rule.scalar:
        return { type: this.rowType(slots.type[slot]), field: NO_INDEX };
      default:
        return { type: this.untyped(), field: NO_INDEX };
    }
  }

  /** The names of one side of a sharing pair, whose rule the engine leaves to be found. */
  access(slot: number, objects: ObjectTable, object: number, leaf: number): RowName {
    const { slots } = this.catalog;
    const known = object !== NO_INDEX;
    const namesStruct = this.isAggregate(slots.type[slot]);
    if (known && namesStruct && this.#isMemory(objects, object))
      return this.tally(slot, rule.descriptor, 0, 0, NO_INDEX);
    const [site, sizeBytes] = known ? [objects.allocationSlot[object], objects.sizeBytes[object]] : [NO_INDEX, 0];
    if (known && (objects.flags[object] & POOL_FLAG) !== 0 && !namesStruct)
      return this.tally(slot, rule.pool, site, sizeBytes, NO_INDEX);
    // Only a declared type has leaves: a stack variable that the catalog does not name has its type from its slot.
    const declared = !known
      ? 0
      : leaf === NO_INDEX
        ? this.declaredType(objects, object)
        : this.declaredType(objects, object) || objects.type[object];
    const isOutside = declared !== 0 && leaf === NO_INDEX && this.#holdsMore(objects, object, declared);
    if (isOutside && this.catalog.declared[slots.type[slot]] !== declared)
      return this.tally(slot, namesStruct ? rule.descriptor : rule.behind, declared, 0, NO_INDEX);
    if (declared !== 0) return this.tally(slot, rule.object, declared, 0, leaf);
    if (namesStruct) return this.tally(slot, rule.descriptor, 0, 0, NO_INDEX);
    if (known && objects.kind[object] !== global && objects.type[object] !== 0)
      return this.tally(slot, this.#ruleOfVote(objects, object), objects.type[object], 0, NO_INDEX);
    if (known && objects.kind[object] === heap) return this.tally(slot, rule.site, site, sizeBytes, NO_INDEX);
    if (slots.variable[slot] !== 0) return this.tally(slot, rule.variable, 0, 0, NO_INDEX);
    return this.tally(slot, slots.type[slot] !== 0 ? rule.scalar : rule.untyped, 0, 0, NO_INDEX);
  }

  /** As the engines decide it: src/sim/typing.ts. */
  #isMemory(objects: ObjectTable, object: number): boolean {
    const isHeap = objects.kind[object] === heap;
    const declared = this.declaredType(objects, object);
    return (memoryOf(this.catalog, declared) & (isHeap ? Memory.heap : Memory.variable)) !== 0;
  }

  #holdsMore(objects: ObjectTable, object: number, declared: number): boolean {
    if (objects.kind[object] !== heap || !this.isAggregate(declared)) return false;
    const slot = objects.allocationSlot[object];
    const offset = slot === NO_INDEX ? 0 : this.catalog.slots.offset[slot];
    return holdsMore(this.catalog, declared, objects.sizeBytes[object] - (offset === OFFSET_UNKNOWN ? 0 : offset));
  }

  #ruleOfVote(objects: ObjectTable, object: number): number {
    const [isHeap, sizeBytes] = [objects.kind[object] === heap, objects.sizeBytes[object]];
    return isBesideVote(this.catalog, { isHeap, sizeBytes }, objects.type[object]) ? rule.beside : rule.vote;
  }

  declaredType(objects: ObjectTable, object: number): number {
    const { slots, variables, declared } = this.catalog;
    if (objects.kind[object] !== heap) return declared[variables.type[objects.variable[object]]];
    const slot = objects.allocationSlot[object];
    return slot === NO_INDEX ? 0 : declared[slots.type[slot]];
  }

  /** Row type of an object: declared or voted type, else its allocation site (a pool's too), else untyped. */
  objectType(objects: ObjectTable, object: number): number {
    if (objects.type[object] !== 0) return this.rowType(objects.type[object]);
    if (objects.kind[object] !== heap) return this.untyped();
    const [site, sizeBytes] = [objects.allocationSlot[object], objects.sizeBytes[object]];
    return (objects.flags[object] & POOL_FLAG) !== 0 ? this.poolType(site, sizeBytes) : this.siteType(site, sizeBytes);
  }

  /** The field of a byte of an object of that type. */
  leafName(type: number, leaf: number): number {
    if (leaf === NO_INDEX) return NO_INDEX;
    if (this.isAggregate(type)) return this.#field(this.catalog.leaves.path[type]?.[leaf] ?? '');
    return leaf >= PATH_LEAF ? NO_INDEX : this.variableName(leaf);
  }

  /** The field of a reference whose label is that type; NO_INDEX: of none, or only its variable has a name. */
  fieldOfSlot(slot: number, type: number, leaf: number): number {
    const { slots, declared } = this.catalog;
    if (!this.isAggregate(type)) return NO_INDEX;
    return leaf === NO_INDEX && declared[slots.type[slot]] === declared[type]
      ? this.#field(slots.path[slot])
      : this.leafName(type, leaf);
  }

  /**
   * "stats.hits" of a variable, "struct args.sx" of anything else: a string number. `type`: a row type; `field`: a
   * string. A union is one thing: a pthread_mutex_t is its own name.
   */
  spellVariable(variable: number, type: number, field: number): number {
    const whole = variable === 0 ? this.types.name(type) : this.catalog.variables.name[variable];
    const name = field === NO_INDEX ? UNION_LEAF : this.strings.text(field);
    return this.strings.intern(name === UNION_LEAF ? whole : `${whole}.${name}`);
  }

  /** Whether functions of two places have the name: static ones of two files, or overloaded ones. */
  #isShared(name: string): boolean {
    if (this.#placesOfFunction.size === 0) {
      const { count, name: names, file, line } = this.catalog.functions;
      for (let row = 0; row < count; row++) {
        if (file[row] === '') continue;
        const places = this.#placesOfFunction.get(names[row]);
        if (places === undefined) this.#placesOfFunction.set(names[row], new Set([`${file[row]}:${line[row]}`]));
        else places.add(`${file[row]}:${line[row]}`);
      }
    }
    return (this.#placesOfFunction.get(name)?.size ?? 0) > 1;
  }

  #objectField(slot: number, type: number, leaf: number): number {
    if (leaf !== NO_INDEX || !this.isAggregate(type)) return this.leafName(type, leaf);
    return this.#field(this.catalog.slots.path[slot]);
  }

  #field(text: string): number {
    return text === '' ? NO_INDEX : this.strings.intern(text);
  }
}
