// Stage: hardware -> histories. Typed samples to what is worth watching: the types that missed the L1 most, and of each
// the slots that were accessed most. Each sample counts as what it stands for (its period), so loads and stores weigh
// alike.

import { outcomeOf } from './outcome.js';
import type { SampledType, TypedSamples } from './typed-samples.js';

export interface PopularWishes {
  readonly types: number;
  /** Slots of each type. */
  readonly slots: number;
  /** Bytes that a register watches: as `--width`. */
  readonly width: number;
}

export interface Popularity {
  readonly samples: number;
  /** Samples that missed the L1. */
  readonly misses: number;
  /** The accesses that they stand for. */
  readonly accesses: bigint;
  readonly missedAccesses: bigint;
}

export interface PopularSlot extends Popularity {
  readonly offset: number;
  readonly bytes: number;
  /** That have bytes in it. */
  readonly fields: readonly string[];
}

export interface PopularType extends Popularity {
  readonly name: string;
  readonly bytes: number;
  /** Most accesses first. */
  readonly slots: readonly PopularSlot[];
  /** With samples; those that are chosen are among them. */
  readonly sampledSlots: number;
}

export interface PopularChoice {
  /** `samples`: no sample says what it missed, as those of debug registers. */
  readonly by: 'misses' | 'samples';
  readonly all: Popularity;
  readonly types: readonly PopularType[];
  /** Sampled structs of which objects were allocated; those that are chosen are among them. */
  readonly sampledTypes: number;
}

export function choosePopular(
  typed: TypedSamples,
  { types: mostTypes, slots: mostSlots, width }: PopularWishes,
): PopularChoice {
  const { rows, types } = typed;
  const ofType = types.map((type) => ({
    total: new Tally(),
    slots: cutSlots(type.bytes, width).map((slot) => ({ ...slot, tally: new Tally() })),
  }));
  const all = new Tally();
  rows.type.forEach((type, row) => {
    const { total, slots } = ofType[type];
    const offset = Number(rows.offset[row]);
    const slot = slots.find((each) => offset >= each.offset && offset < each.offset + each.bytes);
    for (const tally of [all, total, slot?.tally])
      tally?.add(rows.samples[row], rows.period[row], outcomeOf(rows.dataSource[row]).missed[0] === true);
  });
  const by = all.misses > 0 ? 'misses' : 'samples';
  const weight = (tally: Tally): bigint => (by === 'misses' ? tally.missedAccesses : tally.accesses);
  const watchable = types.flatMap((type, index) =>
    isWatchable(type) && ofType[index].total.samples > 0 ? [{ type, ...ofType[index] }] : [],
  );
  const chosen = watchable
    .filter(({ total }) => weight(total) > 0n)
    .sort((a, b) => descending(weight(a.total), weight(b.total)) || (a.type.name < b.type.name ? -1 : 1))
    .slice(0, mostTypes);
  return {
    by,
    all: all.plain(),
    sampledTypes: watchable.length,
    types: chosen.map(({ type, total, slots }) => {
      const sampled = slots.filter(({ tally }) => tally.samples > 0);
      const most = sampled
        .sort((a, b) => descending(a.tally.accesses, b.tally.accesses) || a.offset - b.offset)
        .slice(0, mostSlots);
      return {
        name: type.name,
        bytes: type.bytes,
        ...total.plain(),
        sampledSlots: sampled.length,
        slots: most.map(({ tally, offset, bytes }) => ({
          offset,
          bytes,
          fields: fieldsIn(type, offset, bytes),
          ...tally.plain(),
        })),
      };
    }),
  };
}

class Tally implements Popularity {
  samples = 0;
  misses = 0;
  accesses = 0n;
  missedAccesses = 0n;

  add(samples: number, period: bigint, isMiss: boolean): void {
    this.samples += samples;
    this.accesses += period;
    if (!isMiss) return;
    this.misses += samples;
    this.missedAccesses += period;
  }

  plain(): Popularity {
    return { samples: this.samples, misses: this.misses, accesses: this.accesses, missedAccesses: this.missedAccesses };
  }
}

/** Histories are taken of structs whose objects are allocated. */
function isWatchable({ name, bytes, fields, lives }: SampledType): boolean {
  return name !== '' && bytes > 0 && fields.length > 0 && (lives === null || lives.allocations > 0);
}

const MOST_SLOTS = 65_536;

/** As the collector cuts a type: slots of `width` bytes, its end into smaller ones. */
function cutSlots(bytes: number, width: number): { readonly offset: number; readonly bytes: number }[] {
  const slots: { offset: number; bytes: number }[] = [];
  for (let offset = 0; offset < bytes && slots.length < MOST_SLOTS; ) {
    let size = width;
    while (size > bytes - offset) size /= 2;
    slots.push({ offset, bytes: size });
    offset += size;
  }
  return slots;
}

function fieldsIn({ fields }: SampledType, offset: number, bytes: number): string[] {
  return fields
    .filter((field) => field.offset < offset + bytes && field.offset + field.bytes > offset)
    .map(({ path }) => path);
}

function descending(a: bigint, b: bigint): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
