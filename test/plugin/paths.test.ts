// Stage: test of the plugin. A header word stands for the whole way that a program took, and what can be computed is
// not logged.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, PROGRAMS, record } from './recorded-program.js';

const CELL_BYTES = 4;
const CHOICES = 12;
const LAST_CELL = 24;
const CASES = 40;

interface Path {
  readonly function: string;
  readonly number: number;
  readonly paths: number;
  readonly words: number;
  readonly slots: { readonly address: bigint; readonly isDerived: boolean }[];
}

function readPaths(lines: readonly string[]): Path[] {
  const found: Path[] = [];
  for (const text of lines) {
    const path = /^path (\S+) (\d+)\/(\d+) words=(\d+) of \d+$/.exec(text);
    if (path)
      found.push({
        function: path[1]!,
        number: Number(path[2]),
        paths: Number(path[3]),
        words: Number(path[4]),
        slots: [],
      });
    const slot = /^ {2}.*? (derived )?([0-9a-f]+)$/.exec(text);
    if (slot && found.length > 0)
      found.at(-1)!.slots.push({ isDerived: slot[1] !== undefined, address: BigInt(`0x${slot[2]}`) });
  }
  return found;
}

/** `origin`: the address of cell 0. Stamps are no gap. */
function describePath(path: Path, origin: bigint, stamps: number): string {
  const logged = path.slots.filter(({ isDerived }) => !isDerived).length + stamps;
  const gap = path.words > logged ? ` +${path.words - logged}` : '';
  const cells = path.slots.map(
    ({ address, isDerived }) => `${Number(address - origin) / CELL_BYTES}${isDerived ? "'" : ''}`,
  );
  return `${path.function} ${path.number}/${path.paths}${gap}: ${cells.join(' ')}`;
}

test.each([[{}], [{ DPROF_DOUBLE_TIGHT: '1' }]])(
  'the paths of paths.ll are the ones behind its calls %j',
  (environment) => {
    const expected = readFileSync(join(PROGRAMS, 'paths.ll'), 'utf8')
      .split('\n')
      .flatMap((text) => /^ {2}; (.*)$/.exec(text)?.[1] ?? []);
    const { lines, status } = record(compile('paths.ll', ['-O0', '-g0']), {
      DPROF_DOUBLE_ADDRESSES: '1',
      ...environment,
    });
    expect(status).toBe(0);
    const paths = readPaths(lines);
    const origin = paths[0]!.slots[0]!.address;
    const stamped = (path: Path): number => (path.function === 'atomic' && path.slots.length === 2 ? 1 : 0);
    expect(
      paths.filter((path) => path.function !== 'main').map((path) => describePath(path, origin, stamped(path))),
    ).toEqual(expected);
  },
);

/** The stores to `cells`, as numbers from the first one's, which is the last cell. */
function readCells(lines: readonly string[]): number[] {
  const stores = lines
    .flatMap((text) => /^ {2}store .* var=cells .* ([0-9a-f]+)$/.exec(text)?.[1] ?? [])
    .map((address) => parseInt(address, 16));
  const origin = stores[0]! - LAST_CELL * CELL_BYTES;
  return stores.map((address) => (address - origin) / CELL_BYTES);
}

test('a function with too many ways is cut into several regions, and every way is still told from every other', () => {
  const { lines } = record(compile('ways.c', ['-O0']), { DPROF_DOUBLE_ADDRESSES: '1' });
  const chosen = readPaths(lines).filter(({ function: name }) => name === 'choose');
  expect(Math.max(...chosen.map(({ paths }) => paths))).toBeLessThan(1 << CHOICES);
  const expected: number[] = [];
  for (let bits = 0; bits < 1 << CHOICES; bits += 37) {
    expected.push(LAST_CELL);
    for (let choice = 0; choice < CHOICES; choice++) expected.push(2 * choice + ((bits >> choice) & 1));
  }
  expect(readCells(lines).slice(0, expected.length)).toEqual(expected);
});

test('the head of a large switch and each of its cases are one path', () => {
  const { lines } = record(compile('ways.c', ['-O0']), { DPROF_DOUBLE_ADDRESSES: '1' });
  const dispatched = readPaths(lines).filter(({ function: name }) => name === 'dispatch');
  // The code after the switch has no slots: too many ways come there.
  expect(dispatched.filter(({ slots }) => slots.length > 0)).toHaveLength(CASES);
  const expected: number[] = [];
  for (let code = 0; code < CASES; code++) {
    expected.push(LAST_CELL);
    for (let choice = 0; choice < 5; choice++) expected.push(2 * choice + ((code >> choice) & 1));
  }
  expect(readCells(lines).slice(-expected.length)).toEqual(expected);
});
