// Stage: test. Random bytes: each block ends in a word that is explained, and no process is left.

import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { seededDraw } from '../../bench/statistics.js';
import type { BlockAnswer } from '../../src/blocks/block.js';
import { REASONS } from '../../src/blocks/reasons.js';
import { atLength } from '../at-length.js';
import { BLOCKS, hexOf, membersOf } from './measured-blocks.js';

const STATUSES = ['measured', 'crashed', 'rejected', 'timed-out', 'unstable'];
const LONGEST = 16;

/** In a session of its own, whose processes can be told from all others. */
function runAlone(lines: readonly string[]): Promise<{ stdout: string; status: number | null; session: number }> {
  return new Promise((done) => {
    const child = spawn(BLOCKS, ['measure'], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
    child.on('close', (status) => done({ stdout, status, session: child.pid! }));
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  });
}

/** Half are random bytes; half begin with what most instructions begin with. */
function randomBlock(draw: () => number): string {
  const byte = (): number => Math.floor(draw() * 256);
  const bytes = Array.from({ length: 1 + Math.floor(draw() * LONGEST) }, byte);
  const openings = [[0x48], [0x66], [0x0f], [0xf3, 0x0f], [0xc5], [0xc4], [0x62], [0x67], [0x64], [0xf0], [0x0f, 0xae]];
  if (draw() < 0.5) bytes.unshift(...openings[Math.floor(draw() * openings.length)]);
  return Buffer.from(bytes).toString('hex');
}

test('random bytes', async () => {
  const draw = seededDraw(23);
  const blocks = Array.from({ length: atLength(1000, 100_000) }, () => randomBlock(draw));
  const { stdout, status, session } = await runAlone(blocks);
  expect(status).toBe(0);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as BlockAnswer);
  expect(answers.map(({ hex }) => hex)).toEqual(blocks);
  expect([...new Set(answers.map((answer) => answer.status))].filter((word) => !STATUSES.includes(word))).toEqual([]);
  const unexplained = answers.filter((answer) => !(answer.status === 'measured' || answer.reason! in REASONS));
  expect(unexplained).toEqual([]);
  for (const { status: word, cycles, timings, reason } of answers) {
    expect(reason === null).toBe(word === 'measured');
    expect(cycles === null).toBe(word !== 'measured');
    if (timings !== null) expect(timings.length).toBeGreaterThanOrEqual(8);
  }
  expect(membersOf(session)).toEqual([]);
});

test('a monitor that is killed takes its child along', async () => {
  const slow = hexOf('mov ecx, 1000\nrep lodsb');
  const child = spawn(BLOCKS, ['measure'], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => {});
  child.stdin.write(`${slow}\n`.repeat(1000));
  await new Promise((first) => child.stdout.once('data', first));
  const closed = new Promise((done) => child.on('exit', done));
  child.kill('SIGKILL');
  await closed;
  await expect.poll(() => membersOf(child.pid!), { timeout: 60_000 }).toEqual([]);
});
