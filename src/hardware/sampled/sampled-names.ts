// Stage: samples -> profile. Types, fields and places of samples and histories as rows of the profile's tables.

import { NO_INDEX } from '../../base/ids.js';
import { sampledFieldAt, type SampledPlace, type SampledType } from '../samples/typed-samples.js';
import type { Place } from '../histories/histories.js';
import { RowTypeBuilder, SiteBuilder, StringBuilder } from '../../profile/name-tables.js';
import { FAMILIES } from '../../profile/profile.js';
import type { PathBy } from '../../replay/places.js';

const family = Object.fromEntries(FAMILIES.map((name, index) => [name, index])) as Record<
  (typeof FAMILIES)[number],
  number
>;

export type AnyPlace = Pick<SampledPlace | Place, 'function' | 'file' | 'line' | 'column'>;

export class SampledNames {
  readonly strings = new StringBuilder();
  readonly types = new RowTypeBuilder(this.strings);
  readonly sites = new SiteBuilder(this.strings);

  type({ name, rule, fields }: SampledType): number {
    if (name === '') return this.types.intern('(untyped)', family.untyped);
    const isAggregate = fields.length > 0 || /^(struct|union|class) /.test(name);
    return this.types.intern(
      name,
      isAggregate
        ? family.aggregate
        : rule === 'site'
          ? family['heap-site']
          : rule === 'untyped'
            ? family.untyped
            : family.scalar,
    );
  }

  /** A type that histories name: only structs have histories. */
  aggregate(name: string): number {
    return this.types.intern(name, family.aggregate);
  }

  field(type: SampledType, offset: number): number {
    const path = sampledFieldAt(type, offset)?.path ?? '';
    return path === '' ? NO_INDEX : this.strings.intern(path);
  }

  site(place: AnyPlace | undefined): number {
    return place === undefined ? 0 : this.sites.intern(place.function, place.file, place.line, place.column);
  }

  /** The place of a step: neither samples nor histories say where functions begin. */
  stepSite({ function: name, file, line, column }: AnyPlace, by: PathBy): number {
    return by === 'function'
      ? this.sites.intern(name, '', 0, 0)
      : this.sites.intern(name, file, line, by === 'line' ? 0 : column);
  }
}

/**
 * Two accesses with the same key are at one place. Registers trap behind an instruction and samples stand on it, so a
 * line is the finest place that they can share.
 */
export function placeKey({ function: name, file, line }: AnyPlace, by: PathBy): string {
  return by === 'function' ? name : `${name}\n${file}:${line}`;
}
