// Stage: kernel. A kernel in C runs in a process of its own, which it may take along when it crashes, or which is ended
// when it never ends. Both sides of what is said between the two.

import { fork, type ChildProcess } from 'node:child_process';
import { DprofError } from '../base/dprof-error.js';
import { locateWorker, type WorkerAnswer } from '../replay/worker.js';

const HINT = 'docs/kernels.md says what a kernel gets';
const BEAT_MS = 200;

/** Where the engine's thread is: engine/stream/kernel_beat.h. */
export const KERNEL_PARTS = ['', 'batch()', 'end()', 'run()'] as const;

/** Said several times a second: rows that were counted, and an index into KERNEL_PARTS. */
export interface KernelBeat {
  readonly rows: number;
  readonly part: number;
}

export interface KernelProcess {
  /** Of the kernel, as the user calls it. */
  readonly file: string;
  /** A part that takes longer will never end. */
  readonly mostSeconds: number;
  readonly onRows: (rows: number) => void;
}

/** `name`: of a file in workers/, which answers the task. */
export async function askProcess<Answer>(name: string, task: object, kernel: KernelProcess): Promise<Answer> {
  const child = fork(locateWorker(`${name}.js`), { serialization: 'advanced' });
  try {
    child.send(task);
    const answered = await answerOf<Answer>(child, kernel);
    if ('done' in answered) return answered.done;
    const { message, hint, exitCode } = answered.failure;
    throw new DprofError(message, hint, exitCode);
  } finally {
    child.kill('SIGKILL');
  }
}

function answerOf<Answer>(child: ChildProcess, kernel: KernelProcess): Promise<WorkerAnswer<Answer>> {
  const { file, mostSeconds, onRows } = kernel;
  let last: KernelBeat = { rows: 0, part: 0 };
  let since = performance.now();
  return new Promise<WorkerAnswer<Answer>>((done, fail) => {
    const refuse = (what: string): void => fail(new DprofError(`${file}: ${what}`, HINT));
    const watch = setInterval(() => {
      if (last.part !== 0 && performance.now() - since > mostSeconds * 1000)
        refuse(`${KERNEL_PARTS[last.part]} has not ended for ${mostSeconds} s (--limit)`);
    }, BEAT_MS);
    child.on('message', (said: KernelBeat | WorkerAnswer<Answer>) => {
      if (!('rows' in said)) return done(said);
      if (said.rows !== last.rows || said.part !== last.part) since = performance.now();
      last = said;
      onRows(said.rows);
    });
    child.on('error', (error) => refuse(`its process: ${error.message}`));
    child.on('exit', (code, signal) =>
      refuse(signal === null ? `it exited with code ${code}` : `it crashed (${signal})`),
    );
    child.on('exit', () => clearInterval(watch));
  });
}

/** The process's side: `work` says where it is in the numbers, which are KernelBeat's. Ends the process. */
export function answerTask<Task>(work: (task: Task, beat: SharedArrayBuffer) => Promise<WorkerAnswer<unknown>>): void {
  const beat = new SharedArrayBuffer(16);
  const [numbers, send] = [new Float64Array(beat), process.send!.bind(process)];
  const say = (): void => void send({ rows: numbers[0], part: numbers[1] } satisfies KernelBeat);
  process.on('disconnect', () => process.exit(1)); // nobody waits any more
  process.once('message', (task: Task) => {
    const repeat = setInterval(say, BEAT_MS);
    void work(task, beat).then((answer) => {
      clearInterval(repeat);
      send(answer, () => process.exit(0));
    });
  });
}
