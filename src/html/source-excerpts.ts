// Stage: views -> HTML. The source around the lines that a view has numbers for, where the files can be read.

import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** Lines beside a line with numbers, so that it can be understood. */
const CONTEXT_LINES = 3;
/** No source file that people write is larger; a name in a trace may be that of anything. */
const MOST_BYTES = 64 << 20;

export interface SourceExcerpt {
  readonly file: string;
  /** Ascending; null: the file can not be read here. */
  readonly lines: readonly (readonly [line: number, text: string])[] | null;
}

/** `sites`: "file.c:12". Relative names are looked for in `folders`, in their order. */
export function readExcerpts(sites: readonly string[], folders: readonly string[]): SourceExcerpt[] {
  const wanted = new Map<string, Set<number>>();
  for (const site of sites) {
    const [file, line] = splitSite(site);
    const lines = wanted.get(file) ?? new Set();
    for (let near = line - CONTEXT_LINES; near <= line + CONTEXT_LINES; near++) lines.add(near);
    wanted.set(file, lines);
  }
  return [...wanted].map(([file, lines]) => {
    const text = readSource(file, folders);
    if (text === null) return { file, lines: null };
    const all = text.split('\n');
    const shown = [...lines].filter((line) => line >= 1 && line <= all.length).sort((a, b) => a - b);
    return { file, lines: shown.map((line) => [line, all[line - 1].replace(/\r$/, '')] as const) };
  });
}

export function splitSite(site: string): [file: string, line: number] {
  const colon = site.lastIndexOf(':');
  return [site.slice(0, colon), Number(site.slice(colon + 1))];
}

function readSource(file: string, folders: readonly string[]): string | null {
  for (const path of isAbsolute(file) ? [file] : folders.map((folder) => join(folder, file))) {
    try {
      const { size } = statSync(path);
      if (statSync(path).isFile() && size <= MOST_BYTES) return readFileSync(path, 'utf8');
    } catch {
      // Not here: the next folder, or none.
    }
  }
  return null;
}
