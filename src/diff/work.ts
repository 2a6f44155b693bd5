// Stage: profiles -> diff. The unit of work that --per names, and the number of units that each run did.

import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';
import { closestNames } from '../base/closest-names.js';
import type { Work } from './change.js';
import type { NamedProfile } from '../profile/mergeable.js';

const MARK_PREFIX = 'mark:';
const MOST_NAMED = 8;

/** `asked`: a mark's name, mark:NAME, instructions or references. */
export function workOf(asked: string, before: NamedProfile, after: NamedProfile): Work {
  if (asked === 'instructions' || asked === 'references') {
    return { by: asked, unit: 1000, before: amountOf(before, asked), after: amountOf(after, asked) };
  }
  const name = asked.startsWith(MARK_PREFIX) ? asked.slice(MARK_PREFIX.length) : asked;
  return { by: 'mark', name, unit: 1, before: timesOf(before, name), after: timesOf(after, name) };
}

function amountOf({ name, profile: { totals } }: NamedProfile, what: 'instructions' | 'references'): number {
  if (totals[what] > 0) return totals[what];
  throw new DprofError(
    `--per ${what}: ${name} has none`,
    'it is of a run, or of a window of one, in which nothing was recorded',
  );
}

function timesOf({ name: file, profile }: NamedProfile, name: string): number {
  const times = profile.marks.find((mark) => mark.name === name)?.times;
  if (times !== undefined) return times;
  throw new DprofError(
    `--per ${name}: ${file} has no such mark${profile.window === undefined ? '' : ' in its window'}`,
    hintOf(profile, name),
  );
}

function hintOf({ marks }: Profile, name: string): string {
  if (marks.length === 0)
    return (
      'it has no marks at all: the program sets them with dprof_mark("name") of dprof.h; --per instructions and ' +
      '--per references need none'
    );
  const named = closestNames(
    name,
    marks.map((mark) => mark.name),
    MOST_NAMED,
  )
    .map((one) => `'${one}'`)
    .join(', ');
  return `its marks: ${named}${marks.length > MOST_NAMED ? `, and ${marks.length - MOST_NAMED} more` : ''}`;
}
