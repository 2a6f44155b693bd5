// Stage: advice -> JSON: `dprof.advise/1`, described in docs/advice.md.

import type { Advice, Finding } from './advise.js';
import type { Problem } from './problem.js';

type Side = NonNullable<Problem['sides']>['missed'];

export function adviceJson(
  { findings, all, left, before, tried }: Advice,
  head: { readonly command: string; readonly machines: readonly string[]; readonly schedules: number },
): object {
  return {
    schema: 'dprof.advise/1',
    command: head.command,
    machines: head.machines,
    schedules: head.schedules,
    cycles: before.cycles,
    instructions: before.instructions,
    misses: before.misses,
    tried,
    findings: findings.map(findingJson),
    all,
    left: {
      count: left.length,
      largestShare: left[0]?.cyclesShare ?? 0,
      largest: left.length === 0 ? null : problemJson(left[0]),
    },
  };
}

function findingJson({ problem, others, origin, cacheperfRule, advice, change }: Finding): object {
  return {
    ...problemJson(problem),
    origin,
    cacheperfRule,
    others: others.map(problemJson),
    advice,
    change: change && { text: change.text, options: change.options, sizes: change.sizes },
    predicted: change === null ? null : change.predicted,
  };
}

function problemJson(problem: Problem): object {
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

function sideJson({ type, field, variable, function: inside, site }: Side): object {
  return { type, field, variable, function: inside, site };
}
