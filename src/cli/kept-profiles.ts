// Stage: command line. The profiles of a trace's replays, kept in the folder TRACE.cache, for the next look at it. A
// profile is named after the trace, what was asked of the replay, and the dprof that made it. It is used only if all
// three are the same. docs/replay/kept-profiles.md.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, statSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nameMachines } from '../machine/machine-names.js';
import { describeMachineOf } from '../machine/parse-machine.js';
import { readProfile } from '../profile/profile-reader.js';
import { writeProfile } from '../profile/profile-writer.js';
import { closeObjects } from '../profile/object-source.js';
import type { Profile } from '../profile/profile.js';
import { DEFAULT_FLOW } from './flow-options.js';
import type { ReplayRequest } from './machine-options.js';
import { identifyDprof, identifyTrace } from './trace-identity.js';

/** For one trace; what was used longest ago goes first. */
export const MOST_KEPT = { profiles: 16, bytes: 512 * 2 ** 20 } as const;
/** A file without a profile's name is half of one. Its writer needs less than that, or is gone. */
const ABANDONED_MS = 3_600_000;
const KEPT = /^[0-9a-f]{16}-[0-9a-f]{32}\.dprofile$/;

/** The folder, and the names of the profiles that would do for each machine, the best first. */
interface Place {
  readonly folder: string;
  /** Of each trace. */
  readonly identities: readonly string[];
  /** With it begin the names of all profiles of the first trace as it is now. */
  readonly prefix: string;
  readonly names: readonly (readonly string[])[];
  readonly isQuiet: boolean;
}

/** undefined: of such a request nothing is kept. */
export function placeFor(paths: readonly string[], request: ReplayRequest): Place | undefined {
  if (request.kept === undefined || process.env.DPROF_CACHE === '0') return undefined;
  const identities = paths.flatMap((path) => identifyTrace(path) ?? []);
  if (identities.length < paths.length) return undefined;
  const prefix = identities[0].slice(0, 16);
  const machines = nameMachines(request.machines);
  return {
    folder: `${paths[0]}.cache`,
    identities,
    prefix,
    isQuiet: request.keepsQuietly === true,
    names: request.machines.map((machine, index) =>
      alternatives(request).map((asked) => {
        const of = [identities, machines[index], machine, describeMachineOf(machine.machine), asked, identifyDprof()];
        return `${prefix}-${hashOf(of)}.dprofile`;
      }),
    ),
  };
}

/**
 * The request, and those whose profiles have all that its own has, and more. The last one's objects are sums, if they
 * may be.
 */
function alternatives({ kept, schedules, flow, sharedVariables, mostObjects, ...request }: ReplayRequest): object[] {
  const { schedule, engine, kernelStores, map, window } = request;
  const mayHaveMore = kept === 'or-more' && schedules === undefined;
  const flows = mayHaveMore && flow === undefined ? [flow, DEFAULT_FLOW] : [flow];
  const shared = mayHaveMore && !sharedVariables ? [false, true] : [sharedVariables];
  const whole = flows.flatMap((one) =>
    shared.map((other) => ({
      ...{ schedule, schedules, engine, kernelStores, map, window },
      flow: one,
      sharedVariables: other,
    })),
  );
  return mostObjects === undefined ? whole : [...whole, { ...whole[0], mostObjects }];
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** A profile for each machine; undefined if one of them is not there, or is damaged. */
export function findKept({ folder, names, isQuiet }: Place): Profile[] | undefined {
  const profiles: Profile[] = [];
  for (const own of names) {
    const profile = isOwn(folder) ? firstOf(folder, own) : undefined;
    if (profile === undefined) {
      profiles.forEach(closeObjects);
      return undefined;
    }
    profiles.push(profile);
  }
  if (!isQuiet) say(`nothing is replayed: the profile is kept in ${folder} (--no-cache replays)`);
  return profiles;
}

function firstOf(folder: string, names: readonly string[]): Profile | undefined {
  for (const name of names) {
    const path = join(folder, name);
    try {
      const profile = readProfile(path);
      touch(path);
      return profile;
    } catch {
      // None, or a damaged one, which the replay's profile replaces.
    }
  }
  return undefined;
}

/** Whatever is in the way, the command that wanted the profiles has them. */
export async function keep(profiles: readonly Profile[], place: Place, paths: readonly string[]): Promise<void> {
  const { folder, names, isQuiet } = place;
  // A trace that grew while it was replayed is not what the name says.
  if (paths.some((path, index) => identifyTrace(path) !== place.identities[index])) return;
  const written = profiles.map((profile, index) => nameOf(profile, names[index]));
  const parts = written.map((name) => join(folder, `${name}.${process.pid}`));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (!isOwn(folder)) return;
    for (const [index, profile] of profiles.entries()) {
      await writeProfile(profile, parts[index]);
      renameSync(parts[index], join(folder, written[index]));
    }
    if (prune(place, new Set(written)) && !isQuiet)
      say(`the profile is kept in ${folder}, for the next look (--no-cache keeps none)`);
  } catch {
    for (const part of parts) for (const path of [part, `${part}.incomplete`]) remove(path);
    try {
      rmdirSync(folder); // if it is empty
    } catch {
      // Others' profiles are in it.
    }
  }
}

/** Sums are not what others ask for. */
function nameOf({ objectsAreSums }: Profile, names: readonly string[]): string {
  return objectsAreSums ? names[names.length - 1] : names[0];
}

/** Nobody else can have put a profile there that looks like ours. */
function isOwn(folder: string): boolean {
  try {
    const status = statSync(folder);
    return status.isDirectory() && status.uid === process.getuid?.() && (status.mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Whether the newest profiles could stay. */
function prune({ folder, prefix }: Place, newest: ReadonlySet<string>): boolean {
  const files = readdirSync(folder).flatMap((name) => {
    const status = statSync(join(folder, name), { throwIfNoEntry: false });
    return status === undefined ? [] : [{ name, bytes: status.size, at: status.mtimeMs }];
  });
  const isOld = ({ name, at }: (typeof files)[number]): boolean =>
    KEPT.test(name) ? !name.startsWith(prefix) : at < Date.now() - ABANDONED_MS;
  for (const file of files) if (isOld(file)) remove(join(folder, file.name));
  const kept = files
    .filter((file) => KEPT.test(file.name) && !isOld(file))
    .sort((a, b) => Number(newest.has(b.name)) - Number(newest.has(a.name)) || b.at - a.at);
  let [profiles, bytes, stays] = [0, 0, true];
  for (const { name, bytes: own } of kept) {
    if (profiles + 1 <= MOST_KEPT.profiles && bytes + own <= MOST_KEPT.bytes) {
      profiles++;
      bytes += own;
    } else {
      remove(join(folder, name));
      if (newest.has(name)) stays = false;
    }
  }
  return stays;
}

/** Its time says when it was used last. */
function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Somebody else's, or on a disk that cannot be written.
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It stays.
  }
}

function say(what: string): void {
  writeSync(2, `dprof: ${what}\n`);
}
