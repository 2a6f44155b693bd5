// Stage: advice -> JSON: `dprof.advise/1`, described in docs/advice.md.

import type { AdviceJson, FindingJson } from './advice-schema.js';
import type { Advice, Finding } from './advise.js';
import type { Attempts } from './attempts.js';
import type { Problem } from './problem.js';

/** What advice is about, and what it took. */
export interface AdviceHead {
  readonly trace: string;
  readonly command: string;
  readonly machines: readonly string[];
  readonly schedules: number;
  /** Of the first machine. */
  readonly lineBytes: number;
  /** Changes. */
  readonly tried: number;
  /** Changes that cannot be laid out in the run. */
  readonly refused: number;
  /** References of the excerpts that they were tried on; null: all. */
  readonly excerpts: number | null;
  /** As leastGain in AdviceRequest. */
  readonly minGain: number;
  /** Cycles of an instruction where nothing misses; whether the program's blocks said so. */
  readonly cpi: number;
  readonly isCpiMeasured: boolean;
}

const MOST_LEFT = 3;
const UNKNOWN: Attempts = { nearest: null, untried: null };

type ProblemJson = FindingJson['others'][number];
type Side = NonNullable<Problem['sides']>['missed'];
type SideJson = NonNullable<FindingJson['sides']>['missed'];

export function adviceJson(
  { findings, all, left, attempts, bestTried, before }: Advice,
  {
    trace,
    command,
    machines,
    schedules,
    tried,
    refused,
    excerpts,
    minGain,
    cpi,
  }: Omit<AdviceHead, 'lineBytes' | 'isCpiMeasured'>,
): AdviceJson {
  return {
    schema: 'dprof.advise/1',
    trace,
    command,
    machines,
    schedules,
    cycles: before.cycles,
    instructions: before.instructions,
    misses: before.misses,
    tried,
    refused,
    excerpts,
    minGain,
    cpi,
    findings: findings.map(findingJson),
    all,
    bestTried,
    left: {
      count: left.length,
      largestShare: left[0]?.cyclesShare ?? 0,
      largest: left.length === 0 ? null : problemJson(left[0]),
      costliest: left
        .slice(0, MOST_LEFT)
        .map((problem) => ({ ...problemJson(problem), ...(attempts.get(problem) ?? UNKNOWN) })),
    },
  };
}

function findingJson({ problem, others, origin, cacheperfRule, advice, change }: Finding): FindingJson {
  return {
    ...problemJson(problem),
    origin,
    cacheperfRule,
    others: others.map(problemJson),
    advice,
    change: change && { text: change.text, options: change.options, sizes: change.sizes, structs: change.structs },
    predicted: change === null ? null : change.predicted,
  };
}

function problemJson(problem: Problem): ProblemJson {
  const { kind, level, type, name, fields, site, function: inside, allocatedAt, sides } = problem;
  const { cycles, cyclesShare, misses, missesShare } = problem;
  return {
    kind,
    level,
    type,
    name,
    fields,
    site,
    function: inside,
    allocatedAt,
    cycles: Math.round(cycles),
    cyclesShare,
    misses,
    missesShare,
    sides: sides && { missed: sideJson(sides.missed), writer: sideJson(sides.writer) },
  };
}

function sideJson({ type, field, variable, function: inside, site }: Side): SideJson {
  return { type, field, variable, function: inside, site };
}
