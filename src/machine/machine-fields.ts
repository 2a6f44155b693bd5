// Stage: command line -> replay. Every field that a machine file may have, and what may stand there: one table for the
// reader (machine-file.ts) and for the JSON Schema (machine-schema.ts).

import {
  COLOURINGS,
  INCLUSIONS,
  POLICIES,
  PREFETCHERS,
  PROTOCOLS,
  type CacheLevel,
  type TlbLevel,
} from '../contract/machine.js';
import { MACHINE_DEFAULTS } from '../contract/complete-machine.js';
import { MOST_CORES, TLB_PENALTIES, type MachineDescription } from './machine-description.js';
import { PRESETS } from './presets.js';
import { MOST_COUNT } from './sizes.js';

interface Rule<Kind extends string> {
  readonly kind: Kind;
  readonly about: string;
}
type TextRule = Rule<'text'>;
interface CountRule extends Rule<'count'> {
  readonly least: number;
  readonly most: number;
}
/** Bytes, or a string that `SIZE_PATTERN` matches; `of`: only these. */
interface SizeRule extends Rule<'size'> {
  readonly of?: readonly number[];
}
interface ChoiceRule<Choice extends string> extends Rule<'choice'> {
  readonly of: readonly Choice[];
}
/** A list without repetition. */
interface ChoicesRule<Choice extends string> extends Rule<'choices'> {
  readonly of: readonly Choice[];
}
/**
 * An object, or in short a string; `canBeNone`: "none" takes away what the base machine has. `needs`: fields without
 * which there is no such thing.
 */
interface GroupRule<Fields> extends Rule<'group'> {
  readonly fields: Fields;
  readonly short: Shorthand;
  readonly canBeNone?: true;
  readonly needs?: readonly string[];
}

export type FieldRule =
  | TextRule
  | CountRule
  | SizeRule
  | ChoiceRule<string>
  | ChoicesRule<string>
  | GroupRule<FieldTable>;
export type FieldTable = Readonly<Record<string, FieldRule>>;

/** The rules whose values are of this type. */
type RuleOf<Value> = unknown extends Value
  ? FieldRule
  : [Value] extends [number]
    ? CountRule | SizeRule
    : [Value] extends [string]
      ? ChoiceRule<Value> | (string extends Value ? TextRule : never)
      : [Value] extends [readonly (infer Choice extends string)[]]
        ? ChoicesRule<Choice>
        : GroupRule<RulesOf<Value>>;
/** Rules for fields of a type; what the table does not have, no file can say. */
export type RulesOf<T> = FieldTable & { readonly [Name in keyof T]?: RuleOf<Exclude<T[Name], undefined>> };

export type Shorthand = 'size/ways' | 'entries/ways' | 'tlb';

const SIZE = '(?:[1-9]\\d{0,11}|[1-9]\\d{0,8}[Kk](?:i?B)?|[1-9]\\d{0,5}[Mm](?:i?B)?|[1-9]\\d{0,2}[Gg](?:i?B)?)';
const COUNT = '[1-9]\\d{0,8}';
export const SIZE_PATTERN = `^${SIZE}$`;
export const SHORTHANDS: Readonly<Record<Shorthand, { readonly pattern: string; readonly example: string }>> = {
  'size/ways': { pattern: `^${SIZE}/${COUNT}$`, example: '"32K/8"' },
  'entries/ways': { pattern: `^${COUNT}/${COUNT}$`, example: '"64/4"' },
  tlb: { pattern: `^${COUNT}/${COUNT}(?:,${COUNT}/${COUNT})?$`, example: '"64/4,1536/12"' },
};

const MOST_CYCLES = 1_000_000;
const count = (about: string, most = MOST_COUNT): CountRule => ({ kind: 'count', least: 1, most, about });
const cycles = (about: string, least = 1): CountRule => ({ kind: 'count', least, most: MOST_CYCLES, about });

const cacheFields = {
  sizeBytes: { kind: 'size', about: 'bytes of one cache of this level' },
  ways: count('lines per set'),
  latencyCycles: cycles('of a reference that this level serves, from the start'),
  policy: { kind: 'choice', of: POLICIES, about: 'who leaves a full set' },
} as const satisfies RulesOf<CacheLevel>;
const inclusion = { kind: 'choice', of: INCLUSIONS, about: 'what it holds of the levels above' } as const;
const prefetchers = { kind: 'choices', of: PREFETCHERS, about: 'what it fetches unasked' } as const;
const tlbLevel = { entries: count('pages'), ways: count('entries per set') } as const satisfies RulesOf<TlbLevel>;

/** What a file says: the machine, and these. */
export type MachineInFile = MachineDescription & { readonly $schema?: string; readonly base?: string };

export const MACHINE_FIELDS: RulesOf<MachineInFile> = {
  $schema: { kind: 'text', about: 'for editors: where docs/machine.schema.json is' },
  base: {
    kind: 'choice',
    of: Object.keys(PRESETS),
    about: 'the preset that the other fields change; default: default',
  },
  name: { kind: 'text', about: 'in reports; default: the path of the file' },
  cores: count('simulated cores; default: one per thread of the trace', MOST_CORES),
  lineBytes: { kind: 'size', about: 'of every cache: a power of two from 8 to 4096' },
  l1: { kind: 'group', fields: { ...cacheFields, prefetchers }, short: 'size/ways', about: 'first-level data cache' },
  l2: {
    kind: 'group',
    fields: { ...cacheFields, inclusion, prefetchers },
    short: 'size/ways',
    about: 'second-level cache',
  },
  llc: { kind: 'group', fields: { ...cacheFields, inclusion }, short: 'size/ways', about: 'last-level cache' },
  coresPerL1: count(`consecutive cores (SMT siblings) that share an L1; default: ${MACHINE_DEFAULTS.coresPerL1}`),
  coresPerL2: count('consecutive cores that share an L2, a multiple of coresPerL1; default: coresPerL1'),
  coresPerLlc: count('consecutive cores that share an LLC, a multiple of coresPerL2; default: all'),
  coresPerSocket: count('consecutive cores on one socket, a multiple of coresPerLlc; default: all'),
  memoryLatencyCycles: cycles('of a reference that memory serves'),
  cacheToCacheLatencyCycles: cycles("of a reference that another core's cache serves"),
  remoteMemoryLatencyCycles: cycles("the same, of another socket's memory; default: memoryLatencyCycles"),
  remoteCacheLatencyCycles: cycles('the same, of a cache on another socket; default: cacheToCacheLatencyCycles'),
  protocol: { kind: 'choice', of: PROTOCOLS, about: `of coherence; default: ${MACHINE_DEFAULTS.protocol}` },
  tlb: {
    kind: 'group',
    fields: {
      l1: {
        kind: 'group',
        fields: tlbLevel,
        short: 'entries/ways',
        needs: ['entries', 'ways'],
        about: 'first-level data TLB',
      },
      l2: {
        kind: 'group',
        fields: tlbLevel,
        short: 'entries/ways',
        needs: ['entries', 'ways'],
        canBeNone: true,
        about: 'second-level TLB; none: a miss of the first walks',
      },
      l2LatencyCycles: cycles(
        `more for a reference that misses the first level only; default: ${TLB_PENALTIES.l2LatencyCycles}`,
        0,
      ),
      walkLatencyCycles: cycles(
        `more for a reference that misses both; default: ${TLB_PENALTIES.walkLatencyCycles}`,
        0,
      ),
    },
    short: 'tlb',
    canBeNone: true,
    needs: ['l1'],
    about: 'one for each L1; default: none is simulated',
  },
  pageBytes: { kind: 'size', of: [4096, 2 << 20], about: 'of TLBs, colouring and first touch: 4K (default) or 2M' },
  colouring: {
    kind: 'choice',
    of: COLOURINGS,
    about: `what chooses a page's sets; default: ${MACHINE_DEFAULTS.colouring}`,
  },
  seed: {
    kind: 'count',
    least: 0,
    most: 2 ** 32 - 1,
    about: `of random replacement and random colouring; default: ${MACHINE_DEFAULTS.seed}`,
  },
};
