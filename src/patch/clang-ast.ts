// Stage: source -> patch. What clang makes of a translation unit: its declarations, one after the other, with the
// places of all that is in them. The whole can be larger than memory, so it is read while clang writes it.

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { compilerOf, firstError } from '../what-if/compile-types.js';
import type { CompileCommand } from './compile-commands.js';
import { Refusal } from './refusal.js';

/** `offset`, `tokLen`: in bytes. Of a macro there is where it stands and where it was expanded. */
export interface Place {
  offset?: number;
  tokLen?: number;
  file?: string;
  spellingLoc?: Place;
  expansionLoc?: Place;
}

/** As clang's JSON has it. */
export interface AstNode {
  readonly kind: string;
  readonly name?: string;
  readonly loc?: Place;
  readonly range?: { readonly begin: Place; readonly end: Place };
  readonly type?: { readonly qualType: string; readonly desugaredQualType?: string };
  readonly tagUsed?: string;
  readonly completeDefinition?: boolean;
  readonly bases?: readonly unknown[];
  readonly isImplicit?: boolean;
  readonly isBitfield?: boolean;
  readonly access?: string;
  readonly castKind?: string;
  readonly storageClass?: string;
  readonly referencedDecl?: { readonly name?: string };
  readonly inner?: readonly AstNode[];
}

/** `folder`: of dprof-cc. */
export interface ClangRun extends CompileCommand {
  readonly folder: string;
}

const FILE = /"includedFrom": \{\s*"file": "(?:[^"\\]|\\.)*"|"file": ("(?:[^"\\]|\\.)*")/g;

/** Files that the source includes and that are not the system's, itself among them. */
export async function includedFiles({ source, flags, ...run }: ClangRun): Promise<string[]> {
  let text = '';
  for await (const part of output(run, [...flags, '-w', '-MM', source])) text += part;
  const [, files = ''] = /^[^:]*:([\s\S]*)$/.exec(text.replaceAll('\\\n', ' ')) ?? [];
  const words = files.match(/(?:\\.|\S)+/g) ?? [];
  const folder = workingFolder(flags);
  return words.map((word) => resolve(folder, word.replace(/\\(.)/g, '$1')));
}

/** The declarations of the outermost level of which these are wanted, by their JSON and the path of their file. */
export async function* declarationsOf(
  { source, flags, ...run }: ClangRun,
  isWanted: (json: string, path: string) => boolean,
): AsyncGenerator<AstNode> {
  const words = [...flags, '-w', '-fsyntax-only', '-Xclang', '-ast-dump=json', source];
  const folder = workingFolder(flags);
  // Clang names a file only where it is another one than before.
  let file = source;
  for await (const piece of piecesOf(output(run, words))) {
    const named = FILE.exec(piece.slice(0, piece.indexOf('"tokLen"')));
    FILE.lastIndex = 0;
    const own = named?.[1] === undefined ? file : (JSON.parse(named[1]) as string);
    if (isWanted(piece, resolve(folder, own))) {
      const node = JSON.parse(piece) as AstNode;
      file = nameFiles(node, file, folder);
      yield node;
    } else for (const [, one] of piece.matchAll(FILE)) if (one !== undefined) file = JSON.parse(one) as string;
  }
}

/** Clang resolves relative names from there. */
function workingFolder(flags: readonly string[]): string {
  const flag = flags.find((word) => word.startsWith('-working-directory='));
  return flag?.slice(flag.indexOf('=') + 1) ?? process.cwd();
}

/** The objects of the outermost list: clang indents each level by two. */
async function* piecesOf(parts: AsyncIterable<string>): AsyncGenerator<string> {
  const end = /\n {4}\}(?=,?(?:\n|$))/g;
  let held: string[] = [];
  let line = '';
  for await (const part of parts) {
    // Whole lines, each with the line break before it.
    const cut = part.lastIndexOf('\n');
    if (cut < 0) {
      line += part;
      continue;
    }
    const lines = line + part.slice(0, cut);
    line = part.slice(cut);
    let from = 0;
    for (const { index, 0: text } of lines.matchAll(end)) {
      held.push(lines.slice(from, index + text.length));
      const piece = held.join('');
      const begin = piece.indexOf('\n    {\n');
      if (begin >= 0) yield piece.slice(begin);
      held = [];
      from = index + text.length;
    }
    held.push(lines.slice(from));
  }
}

/** Each place gets the path of its file. Returns the last one as clang names it. */
function nameFiles(node: AstNode, before: string, folder: string): string {
  let file = before;
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const place = value as Place;
    if (typeof place.offset === 'number' && typeof place.tokLen === 'number') {
      file = place.file ?? file;
      place.file = resolve(folder, file);
      return;
    }
    Object.values(value).forEach(visit);
  };
  visit(node);
  return file;
}

async function* output(
  { folder, isCpp }: Pick<ClangRun, 'folder' | 'isCpp'>,
  words: readonly string[],
): AsyncGenerator<string> {
  const child = spawn(compilerOf(folder, isCpp), words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => void (said += part));
  const ended = new Promise<number | null>((done) => child.on('error', () => done(127)).on('close', done));
  // One character for each byte: names of files are spelled anew by JSON, and offsets count bytes anyway.
  yield* child.stdout.setEncoding('utf8') as AsyncIterable<string>;
  const status = await ended;
  if (status === 0) return;
  throw new Refusal(`clang does not compile it: ${firstError(said)}; --compile-commands FILE says how to`);
}
