// Stage: file -> profile. The facts of a profile's directory about the run and its totals. They may be anything, so
// they are checked before any of them is used.

import { checkStoredMachine } from '../machine/stored-machine.js';
import type { TraceDamage } from '../contract/damage.js';
import type { LeftOut } from '../contract/left-out.js';
import { TOTALS, WHOLE_TOTALS, type Totals } from '../contract/result.js';
import type { Phase, ProcessFacts, RunFacts, SharedAddressFacts } from './profile.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

type Unchecked<Facts> = Partial<Record<keyof Facts, unknown>>;

const WIDTHS: Readonly<Record<string, number>> = { ...TOTALS, ...WHOLE_TOTALS };

export function checkDirectoryFacts({
  run,
  machine,
  totals,
  phases,
  strings,
}: { readonly [name in 'run' | 'machine' | 'totals' | 'phases']: unknown } & {
  readonly strings: readonly unknown[];
}): void {
  const refuse = (what: string, expected: string, actual = 'something else'): never => {
    throw new ProfileError(`${what} of the profile`, HEADER_BYTES, expected, actual);
  };
  if (!isRun(run)) refuse('run', 'command, how it ended, threads and what was left out');
  if (!areTotals(totals)) refuse('totals', 'counts');
  if (!arePhases(phases)) refuse('phases', 'names, each with its time');
  if (!strings.every((text) => typeof text === 'string')) refuse('strings', 'texts');
  try {
    checkStoredMachine(machine);
  } catch (error) {
    refuse('machine', 'one that can be simulated', (error as Error).message);
  }
}

/** Stamps and times may be more than can be counted one by one. */
function isCount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}

function areCounts(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every(isCount);
}

export function isRun(facts: unknown): boolean {
  const { truncated, addressRandomisation, kernelStores, threads, recordedAt, refusals, stampsPerSecond } = (facts ??
    {}) as Unchecked<RunFacts>;
  const { processes, damaged, leftOut } = (facts ?? {}) as Unchecked<RunFacts>;
  return (
    hasEnded(facts) &&
    typeof truncated === 'boolean' &&
    (damaged === undefined || isDamage(damaged)) &&
    (leftOut === undefined || isLeftOut(leftOut)) &&
    typeof addressRandomisation === 'boolean' &&
    (kernelStores === undefined || typeof kernelStores === 'boolean') &&
    isCount(threads) &&
    (recordedAt === undefined || (Number.isSafeInteger(recordedAt) && isCount(recordedAt))) &&
    isCount(stampsPerSecond) &&
    typeof refusals === 'object' &&
    refusals !== null &&
    Object.values(refusals).every(isCount) &&
    (processes === undefined || (Array.isArray(processes) && processes.every(isProcess)))
  );
}

function isDamage(damage: unknown): boolean {
  const { threads, chunks, chunksLeftOut, bytes, ofBytes } = (damage ?? {}) as Unchecked<TraceDamage>;
  return areCounts([threads, chunks, chunksLeftOut, bytes, ofBytes], 5);
}

function isLeftOut(leftOut: unknown): boolean {
  const { processes, ofProcesses, bytes, ofBytes } = (leftOut ?? {}) as Unchecked<LeftOut>;
  return areCounts([processes, ofProcesses, bytes, ofBytes], 4);
}

function hasEnded(facts: unknown): boolean {
  const { command, ended } = (facts ?? {}) as Unchecked<RunFacts>;
  return Array.isArray(command) && command.every((word) => typeof word === 'string') && typeof ended === 'string';
}

function isProcess(process: unknown): boolean {
  const { pid, truncated, threads } = (process ?? {}) as Unchecked<ProcessFacts>;
  return (
    hasEnded(process) &&
    isCount(pid) &&
    typeof truncated === 'boolean' &&
    Array.isArray(threads) &&
    threads.every(isCount)
  );
}

export function arePhases(phases: unknown): boolean {
  return (
    Array.isArray(phases) &&
    phases.every((phase) => {
      const { name, time } = (phase ?? {}) as Unchecked<Phase>;
      return typeof name === 'string' && isCount(time);
    })
  );
}

function areTotals(totals: unknown): boolean {
  const known = (totals ?? {}) as Unchecked<Totals>;
  const isTotal = ([name, value]: [string, unknown]): boolean => {
    if (!Object.hasOwn(WIDTHS, name)) return false;
    return WIDTHS[name] === 1 ? isCount(value) : areCounts(value, WIDTHS[name]);
  };
  return Object.keys(TOTALS).every((name) => Object.hasOwn(known, name)) && Object.entries(known).every(isTotal);
}

export function checkAddresses(facts: unknown): void {
  const { shared, kept, uncounted, mostCounts, isFull } = (facts ?? {}) as Partial<
    Record<keyof SharedAddressFacts, unknown>
  >;
  const areCounts = [shared, kept, uncounted, mostCounts].every(
    (count) => Number.isSafeInteger(count) && (count as number) >= 0,
  );
  if (areCounts && typeof isFull === 'boolean') return;
  throw new ProfileError(
    'profile sharedAddresses',
    HEADER_BYTES,
    'counts of addresses and accesses',
    JSON.stringify(facts).slice(0, 100),
  );
}
