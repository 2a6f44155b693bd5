// Stage: trace -> profile. The facts of a report about the run: its command, how it ended, whether the trace is whole.

import { constants } from 'node:os';
import type { OpenedTrace, TraceParts } from '../replay/open-trace.js';
import type { EndInfo } from '../trace/trace-reader.js';
import type { ProcessFacts, RunFacts } from '../profile/profile.js';

/** `recorderIsGone`: it was killed, if the trace has no end. */
export function describeRun(trace: OpenedTrace, recorderIsGone = trace.path.endsWith('.incomplete')): RunFacts {
  const processes = trace.traces?.map(
    (one, process): ProcessFacts => ({
      pid: one.header.pid,
      command: one.process.command,
      ended: describeEnd(one, one.path.endsWith('.incomplete')),
      truncated: one.truncated,
      threads: Array.from(trace.processes?.[process].threads ?? []),
    }),
  );
  return {
    command: trace.process.command,
    ended:
      processes === undefined
        ? describeEnd(trace, recorderIsGone)
        : [...new Set(processes.map(({ ended }) => ended))].join(', '),
    truncated: trace.truncated,
    ...(trace.damaged && { damaged: trace.damaged }),
    addressRandomisation: (trace.traces ?? [trace]).some(({ header }) => header.aslr),
    kernelStores: trace.kernelSlot !== undefined,
    stampsPerSecond: Number(trace.header.stampsPerSecond),
    threads: trace.threads.length,
    ...(trace.header.startTimeNs > 0n && { recordedAt: Number(trace.header.startTimeNs / 1_000_000_000n) }),
    refusals: Object.fromEntries(
      [...trace.catalog.refusals]
        .sort((a, b) => (a.reason < b.reason ? -1 : 1))
        .map(({ reason, count }) => [reason, count]),
    ),
    ...(processes && { processes }),
    ...(trace.leftOut && { leftOut: trace.leftOut }),
  };
}

/**
 * END says {"exit":{"code":0}}, {"exit":{"signal":9}}, {"exit":{"exec":true}}, or nothing that is known here; and
 * `stopped` where the program went on without it.
 */
function describeEnd({ end, endOffset }: TraceParts, recorderIsGone: boolean): string {
  if (end === null)
    return (
      `how it ended was not recorded: ${recorderIsGone ? 'its recorder was killed' : 'the trace is cut'} after ` +
      `${endOffset} bytes`
    );
  const ended = describeExit(end);
  return typeof end.stopped === 'string' ? `${ended}; the recording had stopped: ${end.stopped}` : ended;
}

function describeExit(end: EndInfo): string {
  const exit = (typeof end.exit === 'object' && end.exit !== null ? end.exit : { code: end.exit }) as Record<
    string,
    unknown
  >;
  if (exit.exec === true) return 'became another program';
  if (typeof exit.signal === 'number') return `killed by ${signalName(exit.signal)}`;
  return typeof exit.code === 'number' ? `exited with status ${exit.code}` : 'ended';
}

function signalName(number: number): string {
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return name === undefined ? `signal ${number}` : `${name} (signal ${number})`;
}
