// Stage: profile -> views. What a type's objects amount to: how many live at once at most, how many bytes on average, and whether they
// are shared between cores.

import { countObjects, listObjects } from '../profile/object-source.js';
import type { ObjectColumns, Profile } from '../profile/profile.js';
import { EarliestFirst } from './earliest-first.js';

export interface TypeLives {
  /** So many ever lived. */
  readonly objects: number;
  /** Most objects of the type alive at one time; a stack variable counts from its first life to its last. */
  readonly peak: number;
  /** Time-weighted average of live objects, and of their bytes. */
  readonly averageLive: number;
  readonly averageBytes: number;
  /** How often one of them lived (a stack variable: each time that its frame opens), and how long in all, in instructions of replay time. */
  readonly lives: number;
  readonly lifetime: number;
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
  const { types, totals, runs = [{ objects: countObjects(profile) }] } = profile;
  const lives = Array.from(types.name, () => new LivesOfType());
  const ends = runs.map(((end) => ({ objects }) => (end += objects))(0));
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
    peak: type.peak,
    averageLive: totals.instructions === 0 ? 0 : type.lifetime / totals.instructions,
    averageBytes: totals.instructions === 0 ? 0 : type.byteTime / totals.instructions,
    lives: type.lives,
    lifetime: type.lifetime,
    bounce: (type.flags & BOUNCE) !== 0,
    writeShared: (type.flags & WRITE_SHARED) !== 0,
    frees: type.frees,
    freesOnOtherCore: type.freesOnOtherCore,
  }));
}

/** Of one type's objects, which come in the order in which they were born: what they amount to so far. Remembers those that live. */
class LivesOfType {
  objects = 0;
  peak = 0;
  byteTime = 0;
  lives = 0;
  lifetime = 0;
  flags = 0;
  frees = 0;
  freesOnOtherCore = 0;
  readonly #deaths = new EarliestFirst();
  #now = -1;
  /** Whether some object was born and died at this very instant. */
  #isMoment = false;

  add(objects: ObjectColumns, object: number): void {
    const [born, died, flags] = [objects.bornAt[object], objects.diedAt[object], objects.flags[object]];
    this.byteTime += objects.sizeBytes[object] * objects.lifetime[object];
    this.lives += objects.lives[object];
    this.lifetime += objects.lifetime[object];
    this.flags |= flags;
    this.objects++;
    if (flags & FREED) this.frees++;
    if (flags & FREED_ON_OTHER_CORE) this.freesOnOtherCore++;
    if (born !== this.#now) this.#passTo(born);
    if (born === died) {
      this.#isMoment = true;
      return;
    }
    this.#deaths.add(died === -1 ? Infinity : died);
    this.peak = Math.max(this.peak, this.#deaths.size);
  }

  /** Times begin anew. */
  endRun(): void {
    this.#passTo(-1);
    this.#deaths.clear();
  }

  /** An object that died at the instant another was born made room for it; one that lived for that instant only was there beside those that outlived it. */
  #passTo(time: number): void {
    if (this.#isMoment) this.peak = Math.max(this.peak, 1 + this.#deaths.size);
    this.#isMoment = false;
    this.#now = time;
    this.#deaths.removeUpTo(time);
  }
}
