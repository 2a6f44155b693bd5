// Stage: profile. How often a program set each of its marks: what work can be counted by.

import type { MarkCount } from './profile.js';
import { HEADER_BYTES, ProfileError } from './profile-error.js';

/** One for each name, by name, as the code units say. */
export function addMarks(marks: readonly MarkCount[]): MarkCount[] {
  const sums = new Map<string, number>();
  for (const { name, times } of marks) sums.set(name, (sums.get(name) ?? 0) + times);
  return [...sums].map(([name, times]) => ({ name, times })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Checks a value of a profile's directory, which may be anything. */
export function checkMarks(marks: unknown): void {
  const isMark = (one: unknown): boolean => {
    const { name, times } = (one ?? {}) as Partial<Record<keyof MarkCount, unknown>>;
    return typeof name === 'string' && Number.isSafeInteger(times) && (times as number) > 0;
  };
  if (!Array.isArray(marks) || !marks.every(isMark))
    throw new ProfileError(
      'marks of the profile',
      HEADER_BYTES,
      'names, each with how often it was set',
      'something else',
    );
}
