// Stage: command line. `dprof what-if`: the run of a trace as if its data were laid out otherwise, beside the run as it
// was.

import { join } from 'node:path';
import type { Command } from 'commander';
import { buildDiff } from '../diff/diff.js';
import { DprofError } from '../base/dprof-error.js';
import { formatCount, plural } from '../base/format-number.js';
import { renderVerdict } from '../report/diff-text.js';
import type { Labelled } from '../report/text-lines.js';
import { PROFILE_MAGIC } from '../profile/profile-format.js';
import type { Profile } from '../profile/profile.js';
import type { OpenedTrace } from '../replay/open-trace.js';
import { findAllocator } from '../what-if/find-allocator.js';
import { Trials, type WhatIfFacts } from '../what-if/what-if.js';
import { addComparisonFlags, checkComparisonFlags, deliverComparison, type ComparisonFlags } from './comparison.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { hasMagic } from './has-magic.js';
import { INSTALLATION } from './installation.js';
import { addWindowedReplayFlags, parseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { machinesFor, openFor, replayOpened, replayTrace } from './replay-trace.js';
import { ordersOf } from './schedules.js';
import { withTraceFile } from './trace-source.js';
import { describeRange, rangesOf, type MachineRange } from './what-if-ranges.js';
import { collectWords } from './repeated-option.js';

/** Fewer blocks than that share where the run had them: their places are not the allocator's alone. */
const MOST_ALIKE = 0.9;

interface WhatIfFlags extends ReplayFlags, FlowFlags, ComparisonFlags {
  readonly reorder?: readonly string[];
  readonly align?: readonly string[];
  readonly pad?: readonly string[];
  readonly padRows?: readonly string[];
  readonly group?: readonly string[];
  readonly split?: readonly string[];
  readonly narrow?: readonly string[];
  readonly perThread?: readonly string[];
  readonly pool?: readonly string[];
  readonly interchange?: readonly string[];
  readonly tile?: readonly string[];
  readonly header?: string;
  readonly headerFlag?: readonly string[];
  readonly allocator?: string;
}

export function addWhatIfCommand(program: Command): void {
  const command = program
    .command('what-if')
    .description('replay a run as if its data were laid out otherwise, and compare')
    .argument('<trace>', 'trace that dprof record wrote (-: standard input)')
    .option(
      '--reorder <type: fields>',
      "fields first in this order, * for the others: 'struct node: key,next,*'",
      collectWords,
    )
    .option(
      '--align <what=bytes>',
      "a struct, a field of it, or a variable: 'struct counters=64', 'struct counters.hits=64', 'hits=64'",
      collectWords,
    )
    .option('--pad <type=+bytes>', "a struct with more bytes behind its last field: 'struct grid=+64'", collectWords)
    .option(
      '--pad-rows <array=+bytes>',
      "rows of arrays with more bytes behind each: 'u/4096,v/4096=+64'; a variable or file.c:line, and a row's bytes",
      collectWords,
    )
    .option(
      '--group <variables>',
      "global variables, or fields of them, side by side, in lines of their own: 'hits,state.misses'",
      collectWords,
    )
    .option(
      '--split <type: fields | fields>',
      'the fields behind | in a part of their own, behind a pointer or, of arrays, in a second array: ' +
        "'struct rec: key,next | *'",
      collectWords,
    )
    .option(
      '--per-thread <type: fields>',
      "each thread with its own copy of these fields: 'struct counters: hits,misses', or *",
      collectWords,
    )
    .option('--narrow <field=bytes>', "a number in fewer bytes: 'struct node.flags=1'", collectWords)
    .option('--pool <type>', 'heap objects of the type side by side, in the order of their allocations', collectWords)
    .option(
      '--interchange <file:line>',
      'the two innermost loops around this line the other way round, where the run allows it',
      collectWords,
    )
    .option('--tile <file:line=n>', "these loops by tiles of n by n iterations: 'matrix.c:19=32'", collectWords)
    .option('--header <file>', 'C or C++ definitions of types as they would be; fields go by their names')
    .option('--header-flag <flag>', 'of the compiler, for --header: -Iinclude', collectWords)
    .option(
      '--allocator <name>',
      'heap blocks where this one puts them: glibc, jemalloc, tcmalloc, mimalloc, or a library',
    );
  addWindowedReplayFlags(addFlowFlags(addComparisonFlags(command)), {
    keepsProfiles: true,
    severalMachines: true,
  }).action(async (named: string, flags: WhatIfFlags) => {
    checkComparisonFlags({ ...flags, schedules: undefined });
    const { reorder, align, pad, padRows, group, split, narrow, perThread, pool, interchange, tile } = flags;
    const { header, headerFlag = [], allocator } = flags;
    const words = { reorder, align, pad, padRows, group, split, narrow, perThread, pool, interchange, tile };
    if ([...Object.values(words), header, allocator].every((change) => change === undefined))
      throw new DprofError(
        'nothing is to be changed',
        "for example --reorder 'struct node: key,next,*'; dprof help what-if has all changes",
        2,
      );
    const asked = parseReplayFlags(flags);
    const [machine] = asked.machines;
    if (wantsRanges(asked) && asked.window !== undefined)
      throw new DprofError(
        'ranges are of the whole run',
        'leave out the window, or --schedules and further machines',
        2,
      );
    const request = {
      ...asked,
      machines: [machine],
      schedules: undefined,
      flow: parseFlowFlags(flags, { isWanted: true, isOneSchedule: true }),
    };
    await withTraceFile(named, async (path) => {
      if (hasMagic(path, PROFILE_MAGIC))
        throw new DprofError(`${named} is a profile`, 'name the trace: a change is tried on every access', 2);
      const change = {
        ...words,
        ...(header !== undefined && { header: { path: header, flags: headerFlag } }),
        ...(allocator !== undefined && { allocator: findAllocator(allocator) }),
      };
      const trace = openFor([path], request);
      const compilers = join(INSTALLATION, 'bin');
      Trials.check(trace, change, compilers);
      const [tried] = await (await Trials.of(trace, compilers, request.engine)).try([change]);
      if (tried instanceof DprofError) throw tried;
      try {
        const [before] = await replayTrace([path], request, named);
        const after: Profile[] = [];
        const name = `${named}, changed`;
        await replayOpened(tried.trace, request, (profile) => void after.push(profile), name);
        const diff = buildDiff({ name: named, profile: before }, { name, profile: after[0] }, flags);
        const ranges = await rangesFor(
          { before: trace, after: tried.trace },
          { before, after: after[0] },
          asked,
          named,
        );
        await deliverComparison(diff, flags, {
          head: [...describe(tried.facts), ...ranges.map(describeRange)],
          last: renderVerdict(diff),
          more: { whatIf: { ...jsonOf(tried.facts), ranges } },
        });
      } finally {
        tried.close();
      }
    });
  });
}

/** On one machine, under one schedule, there are none. */
function wantsRanges({ machines, schedules }: ReplayRequest): boolean {
  return machines.length > 1 || schedules !== undefined;
}

async function rangesFor(
  traces: { readonly before: OpenedTrace; readonly after: OpenedTrace },
  first: { readonly before: Profile; readonly after: Profile },
  request: ReplayRequest,
  named: string,
): Promise<MachineRange[]> {
  const { machines, schedule, schedules = 1 } = request;
  if (!wantsRanges(request)) return [];
  const orders = ordersOf(traces.before, schedule, schedules);
  return rangesOf(traces, first, machinesFor(traces.before, machines), orders, request, named);
}

function describe({ types, parts, laidOut, left, split, ...facts }: WhatIfFacts): Labelled[] {
  const { pointerLoads, moved, blocks, alike, allocator, allocatorOfRun, pools, variables } = facts;
  const bytes = types.map(({ type, bytesBefore, bytesAfter }) =>
    bytesBefore === bytesAfter ? `${type}, ${bytesAfter} bytes` : `${type}, ${bytesBefore} -> ${bytesAfter} bytes`,
  );
  const changed = [...bytes, ...(variables.length === 0 ? [] : [`${variables.join(', ')} in lines of their own`])];
  if (pools.length > 0) changed.push(`${pools.join(', ')} side by side in the order of allocation`);
  if (moved > 0) changed.push('loops in another order');
  const others = laidOut === 0 ? `heap blocks are where ${allocator} puts them` : 'arrays with longer rows';
  const lines: Labelled[] = [
    ['what if', changed.length === 0 ? others : changed.join('; ')],
    ...parts.map(({ type, coldBytes, by }): Labelled => {
      if (by === 'threads') return ['per thread', `${type}: ${coldBytes} bytes for each`];
      if (by === 'group') return ['group', `${type}: ${coldBytes} bytes of it`];
      const how = by === 'arrays' ? 'in a second array' : `behind a pointer, ${plural(pointerLoads, 'load')} of it`;
      return ['split', `${type}: ${coldBytes} bytes more ${how}`];
    }),
    ['laid out', `${plural(laidOut, 'object')} anew${split === 0 ? '' : `; ${becomeSeveral(split)}`}`],
  ];
  if (moved > 0) lines.push(['loops', `${plural(moved, 'iteration')} in another order, as the run allows`]);
  if (blocks > 0)
    lines.push([
      'heap',
      alike === null
        ? `${plural(blocks, 'block')} where the run had them`
        : `${plural(blocks, 'block')} by ${allocator}; if nothing changes, ${allocatorOfRun} puts ` +
          `${alike === blocks ? 'all' : formatCount(alike)} where the run had them`,
    ]);
  if (alike !== null && alike < blocks * MOST_ALIKE)
    lines.push(['CHANCE', 'blocks would lie elsewhere with no change, too: small differences are of their places']);
  for (const [why, count] of left) lines.push(['AS BEFORE', `${plural(count, 'object')} ${why}`]);
  return lines;
}

function jsonOf({ left, ...facts }: WhatIfFacts): object {
  return { ...facts, left: Object.fromEntries(left) };
}

function becomeSeveral(accesses: number): string {
  return `${plural(accesses, 'access')} ${accesses === 1 ? 'becomes' : 'become'} several`;
}
