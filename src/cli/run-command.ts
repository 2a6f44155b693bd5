// Stage: command line. `dprof run`: records a program and replays it while it runs, through shared memory; then the
// report.

import { writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { Option, type Command } from 'commander';
import { parseSize } from '../machine/sizes.js';
import type { Profile } from '../profile/profile.js';
import { DprofError } from '../base/dprof-error.js';
import { LiveTrace } from '../replay/live-trace.js';
import { addFlowFlags, parseFlowFlags, type FlowFlags } from './flow-options.js';
import { inheritedFiles } from './inherited-files.js';
import { LiveProgress } from './live-progress.js';
import { LiveReplay } from './live-replay.js';
import { addReplayFlags, parseReplayFlags, type ReplayFlags, type ReplayRequest } from './machine-options.js';
import { nextCommand } from './next-command.js';
import { OtherProcesses } from './other-processes.js';
import { ProgressLine } from './progress.js';
import { recordProgram, type RecordFlags } from './record-command.js';
import {
  addReportFlags,
  checkReportFlags,
  isOfFlow,
  printReports,
  withViewFlags,
  type ReportFlags,
} from './report-options.js';
import { collectWords } from './repeated-option.js';
import { DEFAULT_COLUMNS, OUTPUT_FORMATS, parseRows, type AskedRows } from './row-output.js';
import { runStreaming } from './run-stream.js';
import { addWindowFlags } from './window-options.js';

interface RunFlags extends RecordFlags, ReportFlags, ReplayFlags, FlowFlags {
  readonly keep?: string;
  readonly buffer: string;
  readonly progress?: boolean;
  readonly stream?: true;
  readonly columns?: string;
  readonly where?: readonly string[];
  readonly rows?: AskedRows['format'];
}

export function addRunCommand(program: Command): void {
  const command = program
    .command('run')
    .description('record a program, replay it meanwhile, and print the report')
    .usage('[options] -- PROGRAM [ARGUMENTS...]')
    .argument('<program...>', 'program and its arguments')
    .option('--aslr', 'keep address randomisation on')
    .option('--keep <trace>', 'write the trace too')
    .option('--buffer <size>', 'memory for what is not replayed yet', '256M')
    .option('--progress', 'print progress often, also without a terminal');
  const ofRows = [
    new Option('--stream', 'print each reference as a row while the program runs, and no report'),
    new Option('-o, --output <file>', 'file for the rows (default: standard output, which the program shares)'),
    new Option('--columns <names>', `of rows, as dprof stream has them (default: ${DEFAULT_COLUMNS})`),
    new Option('--where <test>', 'only rows with this; several must all hold').argParser(collectWords),
    new Option('--rows <format>', 'jsonl (default), csv or arrow').choices(OUTPUT_FORMATS),
  ];
  for (const option of ofRows) command.addOption(option.helpGroup('Rows (docs/stream.md):'));
  addReplayFlags(addFlowFlags(addReportFlags(addWindowFlags(command))), { severalMachines: true }).action(
    async (words: string[], options: RunFlags) => {
      const { stream, columns, where, rows } = options;
      if (stream === true) {
        const isTerminal = options.output === undefined && isatty(1);
        const asked = parseRows(columns ?? DEFAULT_COLUMNS, where ?? [], rows ?? 'jsonl', isTerminal);
        return runStreaming(words, options, parseReplayFlags({ ...options, from: undefined, until: undefined }), asked);
      }
      const given = [columns && '--columns', where && '--where', rows && '--rows', options.output && '-o'].find(
        Boolean,
      );
      if (given) throw new DprofError(`${given} is for --stream`, 'dprof run --stream -- PROGRAM', 2);
      checkReportFlags(options);
      // In this command --from and --until say what is recorded, and everything that is recorded counts.
      await runProgram(words, options, {
        ...parseReplayFlags(withViewFlags({ ...options, from: undefined, until: undefined })),
        flow: parseFlowFlags(options, { isWanted: isOfFlow(options), isOneSchedule: options.schedules === undefined }),
      });
    },
  );
}

async function runProgram(words: readonly string[], options: RunFlags, request: ReplayRequest): Promise<void> {
  const inherited = inheritedFiles();
  const others = new OtherProcesses();
  const live = new LiveTrace(parseSize('--buffer', options.buffer));
  const progress = new LiveProgress(basename(words[0]));
  const line = new ProgressLine((seconds) => progress.describe(seconds), { isAsked: options.progress });
  const leave = (): void => {
    line.stop();
    others.remove();
    // the worker waits for the recorder: an exit would wait for the worker
    process.removeAllListeners('SIGINT').kill(process.pid, 'SIGINT');
  };
  const tell = (soFar: readonly Profile[]): void => {
    line.clear();
    if (soFar.length === 0) writeSync(2, 'dprof: nothing was replayed yet\n');
    else printReports(replay.isLast ? soFar.map(left) : soFar, options, { descriptor: replay.isLast ? 1 : 2 });
    if (replay.isLast) leave();
  };
  const replay = new LiveReplay(live, request, request.workers ?? availableParallelism(), progress, tell);
  const pause = (): void => live.pause();
  let interrupts = 0;
  let hasEnded = false;
  let isCut = false;
  const interrupt = (): void => {
    interrupts++;
    if (interrupts === 1) {
      isCut = !hasEnded; // the program has the signal too, and ends, or does not
      line.clear();
      writeSync(2, `dprof: interrupted; still to be replayed: ${progress.describeRest()}. Again: the report so far\n`);
      return;
    }
    live.dismiss();
    if (interrupts === 2 && replay.canPause) {
      replay.isLast = true;
      return live.pause();
    }
    writeSync(2, 'dprof: given up\n');
    leave();
  };
  process.on('SIGUSR1', pause).on('SIGINT', interrupt);
  try {
    const recording = recordProgram(
      words,
      { ...options, output: `live:${live.data},${live.control}` },
      { inherited, own: [live.data, live.control], keep: options.keep, others: others.folder },
    );
    const replaying = replay.run();
    // Whichever ends early, the other is told: a recorder without a reader lets the program run on.
    const [recorded, replayed] = await Promise.allSettled([
      recording.finally(() => {
        hasEnded = true;
        live.end();
      }),
      replaying.finally(() => live.dismiss()),
    ]);
    line.stop();
    if (recorded.status === 'rejected') throw recorded.reason;
    if (replayed.status === 'rejected') throw replayed.reason;
    process.exitCode = recorded.value;
    const traces = others.traces();
    const profiles = traces.length === 0 ? replayed.value : await replay.withOthers(traces, replayed.value.length > 0);
    if (profiles.length > 0)
      printReports(isCut ? profiles.map(interrupted) : profiles, options, {
        next: nextCommand(profiles, options.keep ?? null),
      });
  } finally {
    process.off('SIGUSR1', pause).off('SIGINT', interrupt);
    line.stop();
    await live.destroy();
    others.remove();
  }
}

/** A report so far, that nothing will follow. */
function left(profile: Profile): Profile {
  const ended = 'interrupted: the report is of what was replayed until then';
  return { ...profile, run: { ...profile.run, ended, truncated: true } };
}

/** Nobody knows what the program would have done without the interrupt, so the profile counts as truncated. */
function interrupted(profile: Profile): Profile {
  return { ...profile, run: { ...profile.run, ended: `${profile.run.ended}; interrupted`, truncated: true } };
}
