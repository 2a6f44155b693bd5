// Stage: profile -> views. The lives of a type's objects: how many live at once at most, how many bytes on average, and
// whether they are shared between cores.

import { countObjects, listObjects } from '../profile/object-source.js';
import type { ObjectColumns, Profile } from '../profile/profile.js';
import type { SampledLifeColumns } from '../profile/sampled.js';
import { EarliestFirst } from './earliest-first.js';

export interface TypeLives {
  /** The number of objects that ever lived. */
  readonly objects: number;
  readonly lives: number;
  /** Sum of the lengths of all lives. */
  readonly lifetime: number;
  /**
   * By k: lives of 2^k to 2^(k+1) instructions, the shorter ones with those of one; lives of a stack variable as if all
   * were as long.
   */
  readonly lifetimes: readonly number[];
  /** Most objects of the type alive at one time; a stack variable counts from its first life to its last. */
  readonly peak: number;
  /** Most bytes of the type's objects alive at one time. */
  readonly peakBytes: number;
  /** Time-weighted average of the number of live objects. */
  readonly averageObjects: number;
  /** Time-weighted average of the bytes of live objects. */
  readonly averageBytes: number;
  readonly bounce: boolean;
  readonly writeShared: boolean;
  readonly frees: number;
  readonly freesOnOtherCore: number;
}

const BOUNCE = 1;
const WRITE_SHARED = 2;
const FREED = 8;
const FREED_ON_OTHER_CORE = 16;

/** By row type; of a merged profile the most objects at once are those of the run that had most. */
export function summariseLives(profile: Profile): TypeLives[] {
  if (profile.sampled !== undefined) return countedLives(profile, profile.sampled.lives);
  const { types, totals, runs = [{ objects: countObjects(profile) }] } = profile;
  const lives = Array.from(types.name, () => new LivesOfType());
  const ends = runs.map(
    (
      (end) =>
      ({ objects }) =>
        (end += objects)
    )(0),
  );
  let run = 0;
  for (const { first, objects } of listObjects(profile)) {
    for (let object = 0; object < objects.type.length; object++) {
      for (; first + object >= ends[run]; run++) lives.forEach((type) => type.endRun());
      lives[objects.type[object]].add(objects, object);
    }
  }
  lives.forEach((type) => type.endRun());
  return lives.map((type) => ({
    objects: type.objects,
    lives: type.lives,
    lifetime: type.lifetime,
    lifetimes: type.lifetimes,
    peak: type.peak,
    peakBytes: type.peakBytes,
    averageObjects: totals.instructions === 0 ? 0 : type.lifetime / totals.instructions,
    averageBytes: totals.instructions === 0 ? 0 : type.byteTime / totals.instructions,
    bounce: (type.flags & BOUNCE) !== 0,
    writeShared: (type.flags & WRITE_SHARED) !== 0,
    frees: type.frees,
    freesOnOtherCore: type.freesOnOtherCore,
  }));
}

/**
 * The lives of a sampled profile. They were counted for all objects; the profile has only the objects that were drawn.
 */
function countedLives({ types }: Profile, counted: SampledLifeColumns): TypeLives[] {
  const lives = Array.from(
    types.name,
    (): TypeLives => ({
      objects: 0,
      lives: 0,
      lifetime: 0,
      lifetimes: [],
      peak: 0,
      peakBytes: 0,
      averageObjects: 0,
      averageBytes: 0,
      bounce: false,
      writeShared: false,
      frees: 0,
      freesOnOtherCore: 0,
    }),
  );
  counted.type.forEach((type, row) => {
    lives[type] = {
      ...lives[type],
      objects: counted.allocations[row],
      lives: counted.allocations[row],
      lifetime: counted.lifetimeNs[row],
      peak: counted.peakObjects[row],
      peakBytes: counted.peakBytes[row],
      averageObjects: counted.averageObjects[row],
      averageBytes: counted.averageBytes[row],
      bounce: counted.bouncedObjects[row] > 0,
      writeShared: counted.writeSharedObjects[row] > 0,
      frees: counted.frees[row],
    };
  });
  return lives;
}

/**
 * The sums over one type's objects so far. The objects must come in the order of their birth. It remembers those that
 * are alive.
 */
class LivesOfType {
  objects = 0;
  lives = 0;
  lifetime = 0;
  readonly lifetimes: number[] = [];
  peak = 0;
  peakBytes = 0;
  byteTime = 0;
  flags = 0;
  frees = 0;
  freesOnOtherCore = 0;
  readonly #deaths = new EarliestFirst();
  #now = -1;
  /** Bytes of the largest object that was born and died at this very instant; -1: none did. */
  #moment = -1;

  add(objects: ObjectColumns, object: number): void {
    const [born, died, flags] = [objects.bornAt[object], objects.diedAt[object], objects.flags[object]];
    const [bytes, lives, lifetime] = [objects.sizeBytes[object], objects.lives[object], objects.lifetime[object]];
    this.byteTime += bytes * lifetime;
    this.#addLives(lives, lifetime);
    this.flags |= flags;
    this.objects++;
    if (flags & FREED) this.frees++;
    if (flags & FREED_ON_OTHER_CORE) this.freesOnOtherCore++;
    if (born !== this.#now) this.#passTo(born);
    if (born === died) {
      this.#moment = Math.max(this.#moment, bytes);
      return;
    }
    this.#deaths.add(died === -1 ? Infinity : died, bytes);
    this.peak = Math.max(this.peak, this.#deaths.size);
    this.peakBytes = Math.max(this.peakBytes, this.#deaths.weight);
  }

  #addLives(lives: number, lifetime: number): void {
    if (lives === 0) return;
    this.lives += lives;
    this.lifetime += lifetime;
    const bucket = Math.floor(Math.log2(Math.max(1, lifetime / lives)));
    while (this.lifetimes.length <= bucket) this.lifetimes.push(0);
    this.lifetimes[bucket] += lives;
  }

  /** Times begin anew. */
  endRun(): void {
    this.#passTo(-1);
    this.#deaths.clear();
  }

  /**
   * An object that died at the instant another was born made room for it; one that lived for that instant only was
   * there beside those that outlived it.
   */
  #passTo(time: number): void {
    if (this.#moment >= 0) {
      this.peak = Math.max(this.peak, 1 + this.#deaths.size);
      this.peakBytes = Math.max(this.peakBytes, this.#moment + this.#deaths.weight);
    }
    this.#moment = -1;
    this.#now = time;
    this.#deaths.removeUpTo(time);
  }
}
