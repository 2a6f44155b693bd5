// Stage: advice -> JSON. The keys of `dprof.advise/1` (docs/advice.md) and their types, as JSON Type Definition (RFC
// 8927). The compiler holds what is written to them, and whoever reads a file of advice checks it by them.

import type { JTDDataType } from 'ajv/dist/jtd.js';
import { LEVELS } from '../contract/machine.js';
import { FINDING_KINDS } from './problem.js';

const text = { type: 'string' } as const;
const textOrNull = { type: 'string', nullable: true } as const;
const texts = { elements: text } as const;
/** A whole number; ajv holds it to no 32 bits here. */
const count = { type: 'uint32' } as const;
const share = { type: 'float64' } as const;
const number = { type: 'float64' } as const;
const beforeAfter = { properties: { before: count, after: count } } as const;

const side = {
  properties: { type: text, field: textOrNull, variable: textOrNull, function: textOrNull, site: textOrNull },
} as const;

const problem = {
  kind: { enum: FINDING_KINDS },
  level: { enum: LEVELS },
  type: text,
  name: textOrNull,
  fields: texts,
  site: textOrNull,
  function: textOrNull,
  allocatedAt: textOrNull,
  cycles: count,
  cyclesShare: share,
  misses: count,
  missesShare: share,
  sides: { properties: { missed: side, writer: side }, nullable: true },
} as const;

const predicted = {
  properties: {
    cycles: { properties: { before: count, after: count, low: count, high: count } },
    ratio: { properties: { low: share, high: share } },
    misses: { properties: { l1: beforeAfter, l2: beforeAfter, llc: beforeAfter } },
    machines: { elements: beforeAfter },
  },
  optionalProperties: { runTime: beforeAfter },
} as const;

/** What CachePerf's rule says: docs/cacheperf-rule.md. */
const cacheperfRule = {
  properties: {
    class: { enum: ['true-sharing', 'false-sharing', 'conflict', 'capacity'], nullable: true },
    origin: { enum: ['application', 'allocator'], nullable: true },
    misses: count,
    windows: count,
    conflictWindows: count,
    trueSharing: count,
    falseSharing: count,
  },
} as const;

const struct = {
  properties: {
    name: text,
    kind: text,
    sizeBytes: count,
    cacheLines: count,
    references: count,
    fields: {
      elements: {
        properties: {
          name: text,
          type: text,
          offsetBytes: count,
          sizeBytes: count,
          references: count,
          use: { enum: ['hot', 'cold', 'never used', 'new'] },
        },
        optionalProperties: { elements: count, firstBit: count, bits: count, alignBytes: count },
      },
    },
  },
  optionalProperties: { alignBytes: count, sumHoles: count, padding: count },
} as const;

const change = {
  text,
  options: texts,
  sizes: { elements: { properties: { type: text, bytesBefore: count, bytesAfter: count, coldBytes: count } } },
} as const;

/** Older advice does not have them. */
const laterOfChange = {
  structs: {
    elements: {
      properties: { type: text, before: struct, after: struct, cold: { ...struct, nullable: true } },
      optionalProperties: { isNamed: { type: 'boolean' } },
    },
  },
} as const;

const attempt = { text, options: texts, gainShare: share } as const;
/** The change that came nearest of all that were tried for a problem; null: none was, and `untried` says why. */
const nearest = { properties: attempt, nullable: true } as const;
const costliest = {
  elements: { properties: { ...problem, nearest }, optionalProperties: { untried: textOrNull } },
} as const;

export const ADVICE_SCHEMA = {
  properties: {
    schema: { enum: ['dprof.advise/1'] },
    command: text,
    machines: texts,
    schedules: count,
    cycles: count,
    instructions: count,
    misses: { properties: { l1: count, l2: count, llc: count } },
    tried: count,
    findings: {
      elements: {
        properties: {
          ...problem,
          origin: { enum: ['application', 'allocator'] },
          others: { elements: { properties: problem } },
          advice: textOrNull,
          change: { properties: change, optionalProperties: laterOfChange, nullable: true },
          predicted: { ...predicted, nullable: true },
        },
        optionalProperties: { cacheperfRule },
      },
    },
    all: { properties: { ...change, predicted }, optionalProperties: laterOfChange, nullable: true },
    left: {
      properties: { count, largestShare: share, largest: { properties: problem, nullable: true } },
      optionalProperties: { costliest },
    },
  },
  optionalProperties: {
    trace: text,
    excerpts: { ...count, nullable: true },
    refused: count,
    minGain: share,
    cpi: number,
    bestTried: { properties: { ...attempt, cycles: beforeAfter }, nullable: true },
  },
} as const;

type Frozen<T> = T extends readonly (infer One)[]
  ? readonly Frozen<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

export type AdviceJson = Frozen<JTDDataType<typeof ADVICE_SCHEMA>>;
export type FindingJson = AdviceJson['findings'][number];
export type PredictionJson = NonNullable<FindingJson['predicted']>;
export type ChangeJson = NonNullable<FindingJson['change']>;
export type StructChangeJson = NonNullable<ChangeJson['structs']>[number];
