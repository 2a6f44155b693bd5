// Stage: views -> text. The lines above and below every table: the run, the machine and the misses; then the other
// totals, how the types were found, what the numbers are exact for, and what they do not cover. The HTML page says the
// same.

import { isTypeAsked } from '../base/type-name.js';
import { parallelismLines } from './parallelism-lines.js';
import type { ProcessFacts } from '../profile/profile.js';
import type { TraceDamage } from '../contract/damage.js';
import type { LeftOut } from '../contract/left-out.js';
import { LEVELS, type Schedule } from '../contract/machine.js';
import type { CpuCore } from '../replay/recorded-cpus.js';
import { MOST_PHASES, RULES } from '../contract/result.js';
import type { WindowBorder, WindowFacts } from '../profile/profile.js';
import { LEVEL_NAMES } from '../views/class-names.js';
import { spellCostliest } from '../views/level-cycles.js';
import type { RowFilter, View, ViewRun } from '../views/view.js';
import { formatCount, formatShare, plural } from '../base/format-number.js';
import { describeMachine } from './machine-line.js';
import { shorten, type Labelled } from './text-lines.js';

const MOST_CPUS = 8;

export function describeCpus(cpus: readonly CpuCore[]): string {
  const shown = cpus
    .slice(0, MOST_CPUS)
    .map(({ cpu, core }) => `CPU ${cpu} is core ${core}`)
    .join(', ');
  return (
    `threads where they were recorded (--map=cpu: ${shown}` +
    `${cpus.length > MOST_CPUS ? `, and ${formatCount(cpus.length - MOST_CPUS)} more` : ''})`
  );
}

export function runLines(view: View<unknown>, width: number): Labelled[] {
  const program =
    view.runs !== undefined
      ? describeRuns(view.runs, width)
      : view.processes !== undefined
        ? describeProcesses(view.processes, width)
        : describeRun(view, width);
  const lines: Labelled[] = [
    ['program', program],
    ['machine', describeMachineOf(view)],
    ['misses', `${describeMisses(view)}; ${describeCycles(view)}`],
  ];
  if (view.window !== undefined) lines.splice(2, 0, ['WINDOW', describeWindow(view.window)]);
  if (view.damaged !== undefined) lines.splice(1, 0, ['DAMAGED', describeDamage(view.damaged)]);
  if (view.leftOut !== undefined) lines.splice(1, 0, ['LEFT OUT', describeLeftOut(view.leftOut)]);
  if (view.windows.closed > 0) lines.push(['SKIPPED', skipped(view)]);
  if (view.phases.length > 0) lines.push(['phases', phases(view)]);
  if (view.filter !== undefined) lines.push(['filtered', describeFilter(view.filter, view.rows)]);
  const isEmpty = view.truncated && view.totals.references === 0;
  if (isEmpty) lines.splice(1, 0, ['truncated', 'the trace was cut before its first reference: nothing was recorded']);
  return lines;
}

export function describeDamage({ threads, chunks, chunksLeftOut, bytes, ofBytes }: TraceDamage): string {
  const others = chunksLeftOut === 0 ? '' : ` and ${formatCount(chunksLeftOut)} that cannot be decoded without them`;
  return (
    `${plural(chunks, 'chunk')} of the trace with a wrong checksum${others}, ${formatShare(bytes, ofBytes)} of its ` +
    `bytes, of ${plural(threads, 'thread')}, are left out: all numbers are of the rest`
  );
}

export function describeLeftOut({ processes, ofProcesses, bytes, ofBytes }: LeftOut): string {
  return (
    `${formatCount(processes)} of ${plural(ofProcesses, 'process')}, those that recorded least ` +
    `(${formatShare(bytes, ofBytes)} of the bytes of all): a replay has no room for more ` +
    `(docs/replay/processes.md), and all numbers are of the rest`
  );
}

function describeRun(
  { command, ended, truncated }: Pick<View<unknown>, 'command' | 'ended' | 'truncated'>,
  width: number,
): string {
  return `${shorten(command.join(' '), Math.max(28, width - 52))} (${ended}${truncated ? '; TRUNCATED' : ''})`;
}

function describeFilter({ type, field, function: name, minShare }: RowFilter, rows: readonly unknown[]): string {
  const alike = new Set(rows.flatMap((row) => (row as { readonly type?: string | null }).type ?? []));
  if (type !== undefined) for (const one of alike) if (!isTypeAsked(one, type)) alike.delete(one);
  const parts = [
    type === undefined ? [] : [`of type ${type}${alike.size > 1 ? ` (${alike.size} types are called so)` : ''}`],
    field === undefined ? [] : [`of field ${field}`],
    name === undefined ? [] : [`of function ${name}`],
    minShare === undefined ? [] : [`with at least ${minShare}% of all`],
  ].flat();
  return `only rows ${parts.join(', ')}; totals are those of the whole run`;
}

const MOST_RUNS = 6;

/** Those that read the same together. */
function describeRuns(runs: readonly ViewRun[], width: number): string {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(describeRun(run, width), (counts.get(describeRun(run, width)) ?? 0) + 1);
  const kinds = [...counts].map(([spelled, count]) => (count === 1 ? spelled : `${formatCount(count)} x ${spelled}`));
  const more = kinds.length > MOST_RUNS ? `, and ${kinds.length - MOST_RUNS} more` : '';
  return `MERGED from ${plural(runs.length, 'run')}: ${kinds.slice(0, MOST_RUNS).join(', ')}${more}`;
}

const MOST_PROCESSES = 6;

function describeProcesses(processes: readonly ProcessFacts[], width: number): string {
  const shown = processes.slice(0, MOST_PROCESSES).map((one) => `${one.pid} ${describeRun(one, width)}`);
  const more = processes.length > MOST_PROCESSES ? `, and ${processes.length - MOST_PROCESSES} more` : '';
  return `${plural(processes.length, 'process')} together: ${shown.join(', ')}${more}`;
}

function describeMisses({ totals }: View<unknown>): string {
  const lookups = {
    l1: [totals.references, plural(totals.references, 'reference')],
    l2: [totals.levels.l1.misses, 'those'],
    llc: [totals.levels.l2.misses, 'those'],
  } as const;
  return LEVELS.map((level) => {
    const { misses } = totals.levels[level];
    const [looked, of] = lookups[level];
    const name = level === 'llc' ? 'LLC' : level.toUpperCase();
    return `${name} ${formatCount(misses)} of ${of} (${formatShare(misses, looked)})`;
  }).join(', ');
}

/** What the misses cost, by level. */
function describeCycles({ totals }: View<unknown>): string {
  const { missLatencyCycles, levelCycles, costliest } = totals;
  const all = LEVELS.reduce((sum, one) => sum + levelCycles[one], 0);
  const byLevel = LEVELS.map((one) => `${LEVEL_NAMES[one]} ${formatShare(levelCycles[one], all)}`).join(', ');
  const most = spellCostliest(costliest);
  return most === null
    ? 'nothing missed'
    : `${plural(missLatencyCycles, 'estimated cycle')} (${byLevel}), most by ${most}`;
}

/** The threads stand below where each has a core of its own. */
function describeMachineOf({ machine, threads }: View<unknown>): string {
  return `${describeMachine(machine)}${threads === machine.cores ? '' : `; ${plural(threads, 'thread')}`}`;
}

function describeTotals({ totals, threads }: View<unknown>): string {
  const { loads, stores, instructions, invalidations, upgrades, writeBacks } = totals;
  return (
    `${plural(loads, 'load')}, ${plural(stores, 'store')} of ${plural(threads, 'thread')} in ` +
    `${plural(instructions, 'instruction')} of replay time; ` +
    `${plural(invalidations, 'invalidation')}, ${plural(upgrades, 'upgrade')}, ${plural(writeBacks, 'write-back')}`
  );
}

function describeWindow({ from, to, warmUp }: WindowFacts): string {
  const place = (border: WindowBorder | null, otherwise: string): string =>
    border === null
      ? otherwise
      : `${border.asked} (reference ${formatCount(border.references)}, instruction ${formatCount(border.time)} ` +
        'of replay time)';
  const before =
    from === null
      ? ''
      : '; before it, ' +
        `${warmUp === null ? 'everything' : `all from reference ${formatCount(warmUp.references)} on`} was ` +
        'replayed and not counted';
  return `from ${place(from, 'the beginning')} to ${place(to, 'the end')}: all numbers are of this part${before}`;
}

/** Marks numbers that are incomplete: they lack the part of the run that was not recorded. */
function skipped({ windows }: View<unknown>): string {
  const thrownAway = windows.droppedWords === 0 ? '' : `; ${plural(windows.droppedWords, 'logged word')} thrown away`;
  return (
    `no references were recorded in ${windows.closedSeconds.toFixed(3)} s of the run, ` +
    `${plural(windows.closed, 'stretch')}${thrownAway}: all numbers are of the rest`
  );
}

const MOST_NAMES = 12;

/** A mark that is set again and again, such as one for each request, hides none of the others. */
function phases({ phases: all }: View<unknown>): string {
  const times = new Map<string, number[]>();
  for (const { name, time } of all) {
    const known = times.get(name);
    if (known) known.push(time);
    else times.set(name, [time]);
  }
  const shown = Array.from(times, describePhase).slice(0, MOST_NAMES).join(', ');
  const more = times.size > MOST_NAMES ? `, and ${plural(times.size - MOST_NAMES, 'other')}` : '';
  return all.length < MOST_PHASES ? shown + more : `${shown}${more}, of the first ${formatCount(MOST_PHASES)}`;
}

function describePhase([name, [first = 0, ...again]]: readonly [string, readonly number[]]): string {
  const last = again.at(-1);
  return last === undefined
    ? `${name} at ${formatCount(first)}`
    : `${name} ${formatCount(again.length + 1)} times from ${formatCount(first)} to ${formatCount(last)}`;
}

export function coverageLines(view: View<unknown>): Labelled[] {
  const { references, l1Misses } = view.typing;
  const used = RULES.filter((rule) => references.rules[rule] > 0);
  const byRule = used
    .map(
      (rule) =>
        `${rule} ${formatShare(references.rules[rule], references.of)}/` +
        `${formatShare(l1Misses.rules[rule], l1Misses.of)}`,
    )
    .join(', ');
  return [
    ['totals', describeTotals(view)],
    ['typed by', references.of === 0 ? 'nothing was referenced' : `${byRule} (of references / of L1 misses)`],
    ['exact for', exactFor(view)],
    ...parallelismLines(view.parallelism),
    ['order-bound', orderBoundLine(view)],
    ['not covered', notCovered(view)],
    ['left out', leftOut(view)],
  ];
}

const orders: Record<Schedule['kind'], string> = {
  logical: 'the logical schedule (one instruction per cycle on every core, recorded synchronisation kept)',
  recorded: 'the recorded schedule (the order in which it happened, on the machine that recorded it)',
  random: 'drawn turns, recorded synchronisation kept',
};

function exactFor(view: View<unknown>): string {
  const addresses = view.addressRandomisation
    ? 'addresses of this run only (aslr: on)'
    : 'addresses that a second recording repeats (aslr: off)';
  const part = view.window ?? view.runs?.find(({ window }) => window !== undefined)?.window;
  const isCold = [view.window, ...(view.runs ?? []).map(({ window }) => window)].some(
    (window) => (window?.warmUp ?? null) !== null,
  );
  const whole =
    part !== undefined
      ? isCold
        ? 'the WINDOW of the run after a warm-up from empty caches, not for what the whole run does there'
        : 'the WINDOW of the run, as the whole run meets it'
      : view.windows.closed > 0
        ? 'the windows of the run that were recorded (SKIPPED)'
        : view.damaged !== undefined
          ? 'the part of the run that could be read (DAMAGED)'
          : view.truncated
            ? 'the part of the run that was recorded (truncated)'
            : 'the whole run';
  return (
    `${whole}, this machine, ` +
    `${view.order.kind === 'random' ? `the schedule ${view.schedule} (${orders.random})` : orders[view.order.kind]}` +
    `, ${view.cpus === undefined ? '' : `${describeCpus(view.cpus)}, `}${addresses}`
  );
}

function orderBoundLine({ orderBound }: View<unknown>): string {
  const { segments, segmentsThatWaited, transfers, orderBoundTransfers } = orderBound;
  const waited =
    `${formatShare(segmentsThatWaited, segments)} of ${plural(segments, 'segment')} waited for recorded ` +
    'synchronisation';
  if (transfers === 0) return `${waited}; no line moved between cores`;
  return (
    `${waited}; ${formatShare(orderBoundTransfers, transfers)} of ${plural(transfers, 'transfer')} of a line ` +
    'between cores were bound by locks, atomics or system calls'
  );
}

/** Counts of instructions in the program's text. The number of their executions is unknown. */
function leftOut({ refusals }: View<unknown>): string {
  const all = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  const reasons = Object.entries(refusals)
    .map(([reason, count]) => `${reason}: ${formatCount(count)}`)
    .join(', ');
  return all === 0
    ? "no instruction of the program's text"
    : `${plural(all, 'instruction')} of the program's text (${reasons})`;
}

function notCovered(view: View<unknown>): string {
  return [
    `${plural(view.unseenBytes, 'byte')} written by libc` +
      `${view.kernelStores ? " (the kernel's stores are included)" : ' or the kernel'}`,
    `${plural(view.lostSegments, 'path')} cut short`,
    `${plural(view.outsideLife, 'reference')} outside the life of ${view.outsideLife === 1 ? 'its' : 'their'} object`,
  ].join(', ');
}
