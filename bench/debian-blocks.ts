// Stage: bench. Debian's packages -> their basic blocks. Packages are fetched by apt and unpacked, never installed.
// Debian's files have no symbols: where functions begin and end is known from the tables that unwind the stack
// (.eh_frame). Functions in assembly without such a table are left out.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FunctionBlock } from '../src/blocks/block-program.js';

const MOST_OUTPUT = 1 << 30;

const SOURCES: Readonly<Record<string, readonly string[]>> = {
  SQLite: ['libsqlite3-0', 'sqlite3'],
  zstd: ['zstd'],
  Lua: ['lua5.4'],
  gzip: ['gzip'],
  OpenBLAS: ['libopenblas0-pthread'],
  'LevelDB (C++)': ['libleveldb1d'],
  'Ninja (C++)': ['ninja-build'],
};

export interface FoundBlock {
  readonly hex: string;
  readonly source: string;
}

function run(program: string, words: readonly string[], input = '', cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    input,
    cwd,
    encoding: 'utf8',
    maxBuffer: MOST_OUTPUT,
  });
  if (status === 0) return stdout;
  throw new Error(`${program} ${words[0]}: ${error?.message ?? stderr.trim()}`);
}

/** The ELF files of a package, in the order of their names. */
function filesOf(name: string, folder: string): string[] {
  const unpacked = join(folder, name);
  if (!existsSync(unpacked)) {
    const archives = join(folder, `${name}-archive`);
    mkdirSync(archives, { recursive: true });
    run('apt-get', ['download', '-q', name], '', archives);
    const [archive] = readdirSync(archives).filter((file) => file.endsWith('.deb'));
    run('dpkg-deb', ['-x', join(archives, archive), unpacked]);
  }
  return readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).subarray(0, 4).equals(Buffer.from('\x7fELF')))
    .sort();
}

/** Of .text, hexadecimal. */
function functionsOf(path: string): string[] {
  const section = / \.text +PROGBITS +(\w+) (\w+) (\w+)/.exec(run('llvm-readelf-19', ['-S', '-W', path]));
  if (section === null) return [];
  const [address, offset, size] = section.slice(1).map((digits) => Number.parseInt(digits, 16));
  const bytes = readFileSync(path);
  const codes: string[] = [];
  for (const [, from, to] of run('llvm-dwarfdump-19', ['--eh-frame', path]).matchAll(/ pc=(\w+)\.\.\.(\w+)/g)) {
    const [begin, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    if (begin < address || end > address + size) continue;
    codes.push(bytes.toString('hex', begin - address + offset, end - address + offset));
  }
  return codes;
}

/** Those that differ, by source. A block of several sources is the first one's. */
function differentBlocks(program: string, folder: string): Map<string, string[]> {
  const seen = new Set<string>();
  const found = new Map<string, string[]>();
  for (const [source, names] of Object.entries(SOURCES)) {
    const own: string[] = [];
    for (const path of names.flatMap((name) => filesOf(name, folder)))
      for (const line of run(program, ['cut'], `${functionsOf(path).join('\n')}\n`)
        .trimEnd()
        .split('\n'))
        for (const { hex } of JSON.parse(line) as FunctionBlock[]) {
          if (seen.has(hex)) continue;
          seen.add(hex);
          own.push(hex);
        }
    found.set(source, own);
  }
  return found;
}

export interface DebianBlocks {
  readonly blocks: readonly FoundBlock[];
  /** By source: how many differ, before any was left out. */
  readonly found: ReadonlyMap<string, number>;
}

/** At most so many, as evenly of the sources as they have them: of a large one every n-th. */
export function debianBlocks(program: string, folder: string, most: number): DebianBlocks {
  const found = differentBlocks(program, folder);
  const blocks: FoundBlock[] = [];
  const bySize = [...found].sort(([, a], [, b]) => a.length - b.length);
  for (const [index, [source, own]] of bySize.entries()) {
    const take = Math.min(own.length, Math.floor((most - blocks.length) / (bySize.length - index)));
    for (let at = 0; at < take; at++) blocks.push({ source, hex: own[Math.floor((at * own.length) / take)] });
  }
  return { blocks, found: new Map([...found].map(([source, own]) => [source, own.length])) };
}
