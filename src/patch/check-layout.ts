// Stage: patch -> compiler. Whether sources that are changed give a struct the layout that was foretold: they are
// compiled as if they were in the place of the files.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import type { Catalog } from '../contract/catalog.js';
import { compilerOf, compileTypes, firstError } from '../what-if/compile-types.js';
import { readNamed } from '../what-if/header-layouts.js';
import type { NewLayout } from '../what-if/layout-change.js';
import type { ClangRun } from './clang-ast.js';
import { Refusal } from './refusal.js';
import { tokensOf } from './source-text.js';

/** The layout of the type. `texts`: of changed files, by path. */
export function layoutIn(
  catalog: Catalog,
  type: number,
  run: ClangRun,
  texts: ReadonlyMap<string, string> = new Map(),
): NewLayout {
  const { source, isCpp, folder } = run;
  const tag = catalog.types.tag[type];
  return withTexts(run, texts, (flags) => {
    try {
      const unit = compileTypes({
        text: `#include "${source}"`,
        types: [tag],
        options: { compilers: folder, isCpp, flags, what: source },
      });
      return readNamed(catalog, type, unit, tag, source);
    } catch (error) {
      throw error instanceof DprofError ? new Refusal(error.message) : error;
    }
  });
}

/**
 * The same where sources do not compile any more since they count on the layout that was: up to the definition alone,
 * in the file of this path.
 */
export function layoutUpTo(
  catalog: Catalog,
  type: number,
  run: ClangRun,
  texts: ReadonlyMap<string, string>,
  [path, end]: readonly [path: string, end: number],
): NewLayout {
  try {
    return layoutIn(catalog, type, run, texts);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const cut = new Map(texts).set(path, cutText(texts.get(path)!, end));
    return layoutIn(catalog, type, { ...run, source: path }, cut);
  }
}

/** The text up to the offset, with an end for all that is open there. */
function cutText(text: string, offset: number): string {
  let open = '';
  let directives = 0;
  for (const { kind, begin, end } of tokensOf(text, 0, offset)) {
    if (kind === 'comment') continue;
    const token = text.slice(begin, end);
    if (token === '{') open += '}';
    if (token === '}') open = open.slice(1);
    const directive = token === '#' ? /^#\s*(if|endif)/.exec(text.slice(begin, begin + 40))?.[1] : undefined;
    if (directive !== undefined) directives += directive === 'if' ? 1 : -1;
  }
  return `${text.slice(0, offset)}\n${open}\n${'#endif\n'.repeat(directives)}`;
}

/** The first error, with these texts; null: none. `more`: behind the source. */
export function errorIn(run: ClangRun, texts: ReadonlyMap<string, string>, more = ''): string | null {
  const { source, isCpp, folder } = run;
  return withTexts(run, texts, (flags) => {
    const { status, stderr } = spawnSync(
      compilerOf(folder, isCpp),
      [...flags, '-w', '-fsyntax-only', '-x', isCpp ? 'c++' : 'c', '-'],
      { encoding: 'utf8', input: `#include "${source}"\n${more}\n` },
    );
    return status === 0 ? null : firstError(stderr) || 'clang fails';
  });
}

/** Flags with which clang finds these texts in the place of the files. */
function withTexts<Result>(
  { flags }: ClangRun,
  texts: ReadonlyMap<string, string>,
  work: (flags: readonly string[]) => Result,
): Result {
  if (texts.size === 0) return work(flags);
  const folder = mkdtempSync(join(tmpdir(), 'dprof-'));
  try {
    const roots = [...texts].map(([path, text], index) => {
      const changed = join(folder, `changed-${index}`);
      writeFileSync(changed, text, 'latin1');
      return { type: 'file', name: path, 'external-contents': changed };
    });
    const overlay = join(folder, 'overlay.json');
    writeFileSync(overlay, JSON.stringify({ version: 0, 'use-external-names': false, roots }));
    return work([...flags, `-ivfsoverlay${overlay}`]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Refuses another layout than the trace has. */
export function checkAsRecorded(catalog: Catalog, type: number, { sizeBytes, members }: NewLayout): void {
  const own = catalog.members;
  const isAlike =
    sizeBytes === catalog.types.sizeBytes[type] &&
    members.every(({ member, offsetBytes }) => offsetBytes === own.offsetBytes[member]);
  if (!isAlike) throw new Refusal('its source gives it another layout than the trace has: it was changed since');
}

/** Refuses another layout than was foretold. */
export function checkAsForetold({ members: own }: Catalog, made: NewLayout, foretold: NewLayout): void {
  const differs = (what: string, is: number, was: number): never => {
    throw new Refusal(`with the change in its source ${what} is ${is}, and ${was} was predicted`);
  };
  if (made.sizeBytes !== foretold.sizeBytes) differs('its size', made.sizeBytes, foretold.sizeBytes);
  const placeOf = new Map(made.members.map((one) => [one.member, one]));
  for (const { member, offsetBytes, bits } of foretold.members) {
    const is = placeOf.get(member)!;
    if (is.offsetBytes !== offsetBytes) differs(`the offset of '${own.name[member]}'`, is.offsetBytes, offsetBytes);
    if (is.bits !== bits) differs(`the first bit of '${own.name[member]}'`, is.bits >>> 16, bits >>> 16);
  }
}

/** Refuses a type or a variable that is aligned to less. */
export function checkAligned(name: string, bytes: number, run: ClangRun, texts: ReadonlyMap<string, string>): void {
  if (bytes === 1) return;
  const word = run.isCpp ? 'static_assert' : '_Static_assert';
  const error = errorIn(run, texts, `${word}(__alignof__(${name}) % ${bytes} == 0, "alignment of ${name}");`);
  if (error !== null) throw new Refusal(`with the change in its source: ${error}`);
}

/** "72 bytes: next 0, key 8" */
export function spellLayout({ members: own }: Catalog, { sizeBytes, members }: NewLayout): string {
  const fields = members.map(({ member, offsetBytes }) => `${own.name[member] || '(unnamed)'} ${offsetBytes}`);
  return `${sizeBytes} bytes: ${fields.join(', ')}`;
}
