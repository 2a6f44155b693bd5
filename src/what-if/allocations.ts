// Stage: what-if. A run's allocations and frees, with other sizes, through a real allocator in a process of its own
// (runtime/allocations), to the addresses of the blocks.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buffer, text } from 'node:stream/consumers';
import { DprofError } from '../base/dprof-error.js';
import { locateNative } from '../base/native-build.js';
import { handsOut, type Operations } from './survey-columns.js';

/** Little-endian, as this machine is. */
const OPERATION_BYTES = 32;
const TWO_32 = 2 ** 32;
const EXITS: readonly string[] = ['', '', 'too many blocks', 'an operation that is none', 'no memory', 'a closed pipe'];

/** A library that is loaded in front of the C library: jemalloc and the like. Undefined: the C library's. */
export interface AllocatorChoice {
  readonly name: string;
  readonly library?: string;
  /** The C library's, but each block has lines of its own. */
  readonly ownLines?: boolean;
}

/** By block: where it is handed out. Blocks that no operation makes are 0. */
export async function addressesOf(
  { count, kind, thread, block, size, other }: Operations,
  blocks: number,
  allocator: AllocatorChoice,
): Promise<Float64Array> {
  const words = new Uint32Array((count * OPERATION_BYTES) / 4);
  const put = (at: number, value: number): void => {
    words[at] = value % TWO_32;
    words[at + 1] = value / TWO_32;
  };
  for (let index = 0; index < count; index++) {
    const at = index * 8;
    words[at] = kind[index];
    words[at + 1] = thread[index];
    put(at + 2, block[index]);
    put(at + 4, size[index]);
    put(at + 6, other[index]);
  }
  const { status, signal, stdout, stderr } = await answerOf(Buffer.from(words.buffer), blocks, allocator);
  if (status !== 0 || stdout.length !== count * 8) {
    const why = EXITS[status ?? 0] || (signal ?? stderr.split('\n', 1)[0]);
    throw new DprofError(`the allocator ${allocator.name} failed: ${why}`, 'try another one: --allocator glibc');
  }
  const addresses = new Float64Array(blocks);
  for (let index = 0; index < count; index++)
    if (handsOut(kind[index]))
      addresses[block[index]] = stdout.readUInt32LE(index * 8 + 4) * TWO_32 + stdout.readUInt32LE(index * 8);
  return addresses;
}

interface Answer {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Changes need it: to be called before the first, as who tries many takes a refusal for the change's. */
export function requireAllocations(): string {
  const path = locateNative('bin/dprof-allocations');
  if (existsSync(path)) return path;
  throw new DprofError(`dprof-allocations is not built (${path})`, "run 'npm run setup'");
}

/** Of the allocator's process, to all operations. */
async function answerOf(input: Buffer, blocks: number, { library }: AllocatorChoice): Promise<Answer> {
  const { LD_PRELOAD: _, ...environment } = process.env;
  const child = spawn(requireAllocations(), [`${blocks}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, ...(library !== undefined && { LD_PRELOAD: library }) },
  });
  const ended = new Promise<Pick<Answer, 'status' | 'signal'>>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new DprofError(`cannot run dprof-allocations: ${error.message}`, 'npm run build')),
    );
    child.once('close', (status, signal) => resolve({ status, signal }));
  });
  child.stdin.on('error', () => {}); // it ended before it had read all: its status says why
  child.stdin.end(input);
  const [end, stdout, stderr] = await Promise.all([ended, buffer(child.stdout), text(child.stderr)]);
  return { ...end, stdout, stderr };
}
