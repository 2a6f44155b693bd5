// Stage: blocks. dprof-blocks, the native program that reads and runs blocks: questions in lines, answers in lines.

import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { DprofError } from '../base/dprof-error.js';
import type { BlockAnswer } from './block.js';

const REFUSED = 3;
const MOST_OUTPUT = 1 << 28;

/** Blocks as long as `next` has some; `atOnce` are with the program, so that it need not wait for the next one. */
export function measureOn(
  program: string,
  processor: number,
  next: () => { readonly hex: string; readonly index: number } | undefined,
  atOnce: number,
  onAnswer: (answer: BlockAnswer, index: number) => void,
): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program, ['measure', String(processor)], { stdio: ['pipe', 'pipe', 'pipe'] });
    const asked: { readonly hex: string; readonly index: number }[] = [];
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text));
    const ask = (): void => {
      while (child.stdin.writable && asked.length < atOnce) {
        const block = next();
        if (block === undefined) return void child.stdin.end();
        asked.push(block);
        child.stdin.write(`${block.hex}\n`);
      }
    };
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      onAnswer(JSON.parse(line) as BlockAnswer, asked.shift()!.index);
      ask();
    });
    const status = new Promise<number | string>((end) => child.on('exit', (code, signal) => end(code ?? signal ?? 0)));
    child.on('error', (error) =>
      fail(new DprofError(`cannot start ${program}: ${error.message}`, "run 'npm run setup'")),
    );
    lines.on('close', () => void status.then((ended) => finish(ended)));
    const finish = (ended: number | string): void => {
      if (ended === 0 && asked.length === 0) return done();
      const [why] = said.split('\n');
      if (ended === REFUSED) return fail(refusal(why));
      fail(new DprofError(`dprof-blocks ended with ${ended} at block ${asked[0]?.hex}`, why || 'report it'));
    };
    child.stdin.on('error', () => {}); // its end says why
    ask();
  });
}

function refusal(why: string): DprofError {
  return new DprofError(
    `this system does not let a block be run (${why})`,
    'a container may need --cap-add SYS_PTRACE, or --security-opt seccomp=unconfined',
  );
}

export function assemble(program: string, text: string, isIntel: boolean): { hex: string; problem: string } {
  return JSON.parse(ask(program, ['assemble', isIntel ? 'intel' : 'att'], text)) as { hex: string; problem: string };
}

export interface FunctionBlock {
  /** From the function's beginning. */
  readonly offset: number;
  /** Without the jump, call or return that ends it. */
  readonly hex: string;
}

export function cutFunction(program: string, code: string): readonly FunctionBlock[] {
  return JSON.parse(ask(program, ['cut'], `${code}\n`)) as FunctionBlock[];
}

function ask(program: string, words: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    input,
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  if (error === undefined && status === 0) return stdout;
  throw new DprofError(`dprof-blocks failed: ${error?.message ?? stderr.split('\n')[0]}`, "run 'npm run setup'");
}
