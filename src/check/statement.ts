// Stage: check. What one line of dprof.yml says of a number: a limit ("l2-misses per lookup <= 2.5") or a number that
// is kept as a baseline ("estimated-cycles within 1 %"), of the whole run or of a subject in it.

import { closestNames, didYouMean } from '../base/closest-names.js';
import type { Asked, MeasureName, Per } from './asked.js';
import { MEASURES } from './measures.js';
import { parseSubject, type SubjectKind } from './subject.js';
import type { Place } from './yaml-file.js';

export type StatementKind = 'limit' | 'baseline';
export const COMPARISONS = ['<=', '<', '>=', '>', '=='] as const;
export type Comparison = (typeof COMPARISONS)[number];

export interface Statement extends Asked {
  readonly kind: StatementKind;
  /** As it is written, with its subject. */
  readonly text: string;
  /** The number's name in a baseline. */
  readonly key: string;
  readonly place: Place;
  /** Of a limit. */
  readonly comparison?: Comparison;
  readonly bound?: number;
  /** Of a baseline: by how much it may grow, as a part of it or as a number. */
  readonly tolerance?: { readonly share: number } | { readonly amount: number };
}

interface Wrong {
  readonly wrong: string;
  readonly hint?: string;
}

const LIMIT = /^([^\s<=>]+)(?: +per +(?:(\d+) +)?(\S.*?))? *(<=|>=|==|<|>|=) *(.*)$/;
const BASELINE = /^(\S+)(?: +per +(?:(\d+) +)?(\S.*?))?(?: +within +(.*))?$/;
const NUMBER = /^(\d+(?:\.\d+)?)(?:([kMG])|(?: *(Ki|Mi|Gi)(?=B)))? *(%|B|bytes?|cycles|lines?|misses)?$/;
const FACTORS: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};
const UNIT_NAMES: Readonly<Record<string, string>> = { B: 'bytes', byte: 'bytes', line: 'lines' };

export function parseStatement(subject: string, text: string, kind: StatementKind, place: Place): Statement | Wrong {
  const match = (kind === 'limit' ? LIMIT : BASELINE).exec(text);
  if (match === null)
    return {
      wrong: `'${text}' is no ${kind}`,
      hint: kind === 'limit' ? "as 'l1-misses <= 100' or 'l2-misses per lookup <= 2.5'" : "as 'l1-misses within 1 %'",
    };
  const [, name, count, per, ...rest] = match;
  if (!Object.hasOwn(MEASURES, name)) return unknownMeasure(name);
  const measure = name as MeasureName;
  const ofSubject = parseSubject(subject);
  const { of, unit } = MEASURES[measure];
  if (!of.includes(ofSubject.kind))
    return {
      wrong: `${measure} is not counted for ${ofSubject.kind === 'run' ? 'the whole run' : `a ${ofSubject.kind}`}`,
      hint: `it is for: ${of.map((one) => (one === 'run' ? 'the whole run' : one)).join(', ')}`,
    };
  if (count !== undefined && Number(count) === 0)
    return { wrong: `${measure} per 0 ${per}`, hint: `write per ${per}, or per 1000 ${per}` };
  const divided: { per?: Per } = per === undefined ? {} : { per: parsePer(per, count) };
  const behind = per === undefined ? '' : ` per ${count ? `${count} ` : ''}${per}`;
  const key = `${subject === '' ? '' : `${subject}: `}${name}${behind}`;
  const common = { kind, place, subject: ofSubject, measure, ...divided };
  if (kind === 'baseline') return baselineOf(rest[0], unit, { ...common, text: `${key}${within(rest[0])}`, key });
  const [sign, said] = rest;
  const number = parseNumber(said);
  if ('wrong' in number) return number;
  const written = unitOf(number.unit, measure, ofSubject.kind, divided.per);
  if (written !== undefined && typeof written !== 'boolean') return written;
  return {
    ...common,
    key,
    text: `${key} ${sign} ${said}`,
    isShare: written === true,
    comparison: sign === '=' ? '==' : (sign as Comparison),
    bound: number.value,
  };
}

function within(said: string | undefined): string {
  return said === undefined ? '' : ` within ${said}`;
}

function unknownMeasure(name: string): Wrong {
  const [closest] = closestNames(name, Object.keys(MEASURES));
  const known = closest === undefined ? `known: ${Object.keys(MEASURES).join(', ')}` : didYouMean([closest]);
  return { wrong: `nothing is called '${name}' that can be counted`, hint: known };
}

/** `instructions`, `1000 instructions`, `references`, or the name of a mark. */
function parsePer(text: string, count = '1'): Per {
  const of = /^(instruction|reference)s?$/.exec(text)?.[1];
  const number = Number(count);
  if (of !== undefined) return { of: of === 'instruction' ? 'instructions' : 'references', count: number };
  return { of: 'mark', name: text.replace(/^mark:/, ''), count: number };
}

/** True: percent. */
function unitOf(written: string, measure: MeasureName, of: SubjectKind, per: Per | undefined): boolean | Wrong {
  const { unit, whole } = MEASURES[measure];
  if (written === '%' && per !== undefined)
    return { wrong: `${measure}: a number per something is no percentage`, hint: 'leave out one of the two' };
  if (written === '%' && whole === undefined && (of === 'run' || unit === 'bytes' || unit === 'lines'))
    return { wrong: `${measure} is not told in percent${of === 'run' ? ' of itself' : ''}`, hint: 'leave out the %' };
  if (written === '%') return unit !== '%';
  if (written === '' && unit === 'bytes?')
    return { wrong: `${measure}: a number needs its unit`, hint: `write 20 % (of what was fetched) or 20 bytes` };
  if (unit === '%') return { wrong: `${measure}: a number needs its unit`, hint: 'write it in percent: 5 %' };
  const own = unit === 'bytes?' ? 'bytes' : unit;
  if (written !== '' && written !== own)
    return { wrong: `${measure} is not counted in ${written}`, hint: own === '' ? 'leave it out' : `in ${own}` };
  return false;
}

function baselineOf(said: string | undefined, unit: string, common: Omit<Statement, 'isShare'>): Statement | Wrong {
  const isShare = false;
  if (said === undefined) return { ...common, isShare, tolerance: { share: 0 } };
  const number = parseNumber(said);
  if ('wrong' in number) return number;
  if (number.unit === '%') return { ...common, isShare, tolerance: { share: number.value / 100 } };
  const own = unit === 'bytes?' ? 'bytes' : unit;
  if (number.unit !== '' && number.unit !== own)
    return { wrong: `${common.measure} is not counted in ${number.unit}`, hint: 'write a percentage, or a number' };
  return { ...common, isShare, tolerance: { amount: number.value } };
}

function parseNumber(text: string): { readonly value: number; readonly unit: string } | Wrong {
  const match = NUMBER.exec(text.trim());
  if (match === null) return { wrong: `'${text}' is no number`, hint: 'as 100, 2.5, 12M, 4 KiB or 20 %' };
  const [, digits, factor, binary, unit = ''] = match;
  const value = Number(digits) * (FACTORS[factor ?? binary ?? ''] ?? 1);
  return { value, unit: UNIT_NAMES[unit] ?? unit };
}
