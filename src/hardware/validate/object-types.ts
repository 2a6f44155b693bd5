// Stage: validation. Objects of a replay -> the types that its reports name them by, and where in the type an address
// is: what samples are told.

import { NO_INDEX } from '../../base/ids.js';
import type { SampledField, SampledType } from '../samples/typed-samples.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from '../../profile/name-tables.js';
import { RowNames } from '../../profile/row-names.js';
import { ObjectKind, offsetIn, type SimObject } from '../../sim/sim-object.js';
import { isBehind } from '../../sim/typing.js';
import type { Catalog } from '../../contract/catalog.js';

export interface PlaceInType {
  /** Row of `types`. */
  readonly type: number;
  readonly offset: number;
}

const UNTYPED: SampledType = { name: '', rule: 'untyped', bytes: 0, fields: [], lives: null };
/** The longest that a flexible array may be. */
const FLEXIBLE_BYTES = 2 ** 40;

export class ObjectTypes {
  readonly types: SampledType[] = [UNTYPED];
  private readonly rowOf = new Map<string, number>();
  private readonly names: RowNames;
  private readonly rowTypes: RowTypeBuilder;

  constructor(private readonly catalog: Catalog) {
    const strings = new StringBuilder();
    this.rowTypes = new RowTypeBuilder(strings);
    this.names = new RowNames(catalog, strings, this.rowTypes, new SiteBuilder(strings));
  }

  /** Once the replay is over, and votes are counted. null: nobody knows a type. */
  placeOf(object: SimObject, address: number): PlaceInType | null {
    const { names } = this;
    if (object.isPool) {
      const name = this.rowTypes.name(names.poolType(object.allocationSlot, object.sizeBytes));
      return { type: this.row(name, 'pool', 0, []), offset: 0 };
    }
    if (isBehind(this.catalog, object, address))
      return { type: this.row(this.rowTypes.name(names.besideType(object.declared)), 'behind', 0, []), offset: 0 };
    if (object.declared !== 0) {
      if (names.isAggregate(object.declared)) return this.inRecord(object, object.declared, 'object', address);
      const name = object.variable === 0 ? '' : this.catalog.variables.name[object.variable];
      const bytes = object.kind === ObjectKind.heap ? 0 : object.sizeBytes;
      return {
        type: this.row(
          this.rowTypes.name(names.rowType(object.declared)),
          'object',
          bytes,
          name === '' ? [] : [{ path: name, offset: 0, bytes }],
        ),
        offset: bytes === 0 ? 0 : address - object.address,
      };
    }
    if (object.voted !== 0 && object.kind !== ObjectKind.global)
      return this.inRecord(object, object.voted, 'vote', address);
    if (object.kind !== ObjectKind.heap) return null;
    return {
      type: this.row(this.rowTypes.name(names.siteType(object.allocationSlot, object.sizeBytes)), 'site', 0, []),
      offset: 0,
    };
  }

  private inRecord(object: SimObject, type: number, rule: 'object' | 'vote', address: number): PlaceInType {
    const { types, leaves } = this.catalog;
    const bytes = types.sizeBytes[type];
    const row = this.row(this.rowTypes.name(this.names.rowType(type)), rule, bytes, () => this.fieldsOf(type));
    const offset = offsetIn(this.catalog, object, address);
    const isFlexible = leaves.flexibleFrom[type] !== NO_INDEX && offset >= leaves.flexibleFrom[type];
    // No field is known before the type's beginning, so it gets the offset of its end, where there is none.
    return { type: row, offset: offset < 0 || bytes === 0 ? bytes : isFlexible ? offset : offset % bytes };
  }

  private row(
    name: string,
    rule: SampledType['rule'],
    bytes: number,
    fields: readonly SampledField[] | (() => readonly SampledField[]),
  ): number {
    const key = `${rule} ${bytes} ${typeof fields === 'function' ? '' : (fields[0]?.path ?? '')} ${name}`;
    let row = this.rowOf.get(key);
    if (row === undefined) {
      row =
        this.types.push({ name, rule, bytes, fields: typeof fields === 'function' ? fields() : fields, lives: null }) -
        1;
      this.rowOf.set(key, row);
    }
    return row;
  }

  /** Runs of bytes of one leaf. */
  private fieldsOf(type: number): SampledField[] {
    const { base, span, leafAt, path, flexibleFrom, flexibleLeaf } = this.catalog.leaves;
    if (base[type] === NO_INDEX) return [];
    const fields: SampledField[] = [];
    const end = Math.min(span[type], flexibleFrom[type] === NO_INDEX ? Infinity : flexibleFrom[type]);
    for (let from = 0; from < end; ) {
      const leaf = leafAt[base[type] + from];
      let to = from + 1;
      while (to < end && leafAt[base[type] + to] === leaf) to++;
      fields.push({ path: path[type][leaf], offset: from, bytes: to - from });
      from = to;
    }
    if (flexibleFrom[type] !== NO_INDEX)
      fields.push({ path: path[type][flexibleLeaf[type]], offset: flexibleFrom[type], bytes: FLEXIBLE_BYTES });
    return fields;
  }
}
