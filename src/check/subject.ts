// Stage: check. What a number is of: the whole run, a type or a field of it, a function, a line, an allocation site.
// Its tallies in a profile are those that the views charge it with.

import { DprofError } from '../base/dprof-error.js';
import { closestNames, didYouMean } from '../base/closest-names.js';
import { isTypeAsked } from '../base/type-name.js';
import { NO_INDEX } from '../base/ids.js';
import type { Profile } from '../profile/profile.js';
import { CounterSums, sumAll, sumBy } from '../views/counter-sums.js';
import { framesOf } from '../views/frames.js';
import { spellFunction, spellSite } from '../views/sites.js';
import { sumSitesOf, type Sums } from './site-sums.js';

export const SUBJECTS = ['run', 'type', 'function', 'line', 'site'] as const;
export type SubjectKind = (typeof SUBJECTS)[number];

export interface Subject {
  readonly kind: SubjectKind;
  /** Of a type perhaps with a field behind it: struct node.key. */
  readonly name: string;
}

/** The subject in a profile. */
export interface Found {
  readonly sums: Sums;
  /** Of the tallies: which are its own; of a site none is, since they do not say it. */
  readonly isOwn: (row: number) => boolean;
  readonly type?: string;
  readonly field?: string;
  /** Of a site: "file.c:12". */
  readonly site?: string;
}

const KEYWORDS = /^(function|line|site|type) +/;

/** '': the whole run. */
export function parseSubject(text: string): Subject {
  if (text === '' || text === 'run') return { kind: 'run', name: '' };
  const keyword = KEYWORDS.exec(text);
  if (keyword === null) return { kind: 'type', name: text };
  return { kind: keyword[1] as SubjectKind, name: text.slice(keyword[0].length).trim() };
}

/** Throws DprofError for a name that is nowhere in the profile. */
export function findSubject(profile: Profile, subject: Subject): Found {
  if (subject.kind === 'run') return { sums: sumAll(profile.tallies), isOwn: () => true };
  if (subject.kind === 'site') return ofSite(profile, subject.name);
  const found = subject.kind === 'type' ? ofType(profile, subject.name) : ofPlace(profile, subject);
  return { ...found, sums: sumBy(profile.tallies, (row) => (found.isOwn(row) ? 0 : null)).get(0) ?? new CounterSums() };
}

function ofType(profile: Profile, name: string): Omit<Found, 'sums'> {
  const { strings, types, tallies, layouts = [] } = profile;
  const names = [...new Set([...Array.from(types.name, (at) => strings[at]), ...layouts.map((one) => one.name)])];
  const typeOf = (asked: string): string | undefined => names.find((one) => isTypeAsked(one, asked));
  const isOf = (asked: string, row: number): boolean => isTypeAsked(strings[types.name[tallies.type[row]]], asked);
  const whole = typeOf(name);
  if (whole !== undefined) return { type: whole, isOwn: (row) => isOf(name, row) };
  // struct node.lock.owner: the longest type that there is, and a field of it, or what lies in that field.
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const [asked, field] = [name.slice(0, dot), name.slice(dot + 1)];
    const type = typeOf(asked);
    if (type === undefined) continue;
    const fields = new Set<string>();
    for (let row = 0; row < tallies.type.length; row++)
      if (tallies.field[row] !== NO_INDEX && isOf(asked, row)) fields.add(strings[tallies.field[row]]);
    const declared = layouts.find((one) => one.name === type)?.members.map((member) => member.name) ?? [];
    const isIn = (own: string): boolean => own === field || (own.startsWith(field) && /[.[]/.test(own[field.length]));
    if (![...fields, ...declared].some(isIn)) throw unknown('field', field, [...fields, ...declared], `of ${type}`);
    return {
      type,
      field,
      isOwn: (row) => tallies.field[row] !== NO_INDEX && isOf(asked, row) && isIn(strings[tallies.field[row]]),
    };
  }
  throw unknown(
    'type',
    name,
    names.filter((one) => one !== '(no object)'),
    'in this run',
  );
}

function ofPlace(profile: Profile, { kind, name }: Subject): Omit<Found, 'sums'> {
  const { tallies } = profile;
  const frames = framesOf(profile);
  const spell = (row: number): string | null => {
    const charged = frames.charged(tallies.site[row]);
    return kind === 'function' ? spellFunction(profile, charged) : spellSite(profile, charged);
  };
  const names = Array.from(tallies.site, (_, row) => spell(row));
  const isNamed = (own: string | null): boolean =>
    own !== null && (own === name || (kind !== 'function' && isSamePlace(plain(own), name)));
  if (!names.some(isNamed)) {
    const known = [...new Set(names)].filter((one) => one !== null).map(plain);
    throw unknown(kind, name, known, 'in this run');
  }
  return { isOwn: (row) => isNamed(names[row]) };
}

function ofSite(profile: Profile, name: string): Found {
  const { site, sums, known } = sumSitesOf(profile, (own) => isSamePlace(plain(own), name));
  if (site === undefined) throw unknown('site', name, known.map(plain), 'that objects come from');
  return { sums, isOwn: () => false, site };
}

function plain(place: string): string {
  return place.replace(/^\.\//, '');
}

/** Sources are named as the compiler was given them, which people may shorten, or know the whole path of. */
function isSamePlace(own: string, asked: string): boolean {
  const name = plain(asked);
  return own === name || own.endsWith(`/${name}`) || (name.startsWith('/') && name.endsWith(`/${own}`));
}

function unknown(kind: string, name: string, names: readonly string[], where: string): DprofError {
  const closest = closestNames(name, [...new Set(names)]);
  const hint = closest.length === 0 ? 'the run names none' : didYouMean(closest);
  return new DprofError(`no ${kind} '${name}' ${where}`, hint, 2);
}
