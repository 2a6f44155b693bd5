// Stage: patches -> text. Where the patches of findings are, and why others are not written.

import { proseWidth, wrap } from './text-lines.js';

const INDENT = '   ';

export interface WrittenPatches {
  /** What the names of files in them are relative to; null: the current folder. */
  readonly folder: string | null;
  /** Of each finding that has a change, and of all together if there are several. */
  readonly files: readonly WrittenPatch[];
}

export interface WrittenPatch {
  readonly finding: number | 'all';
  /** null: it is not written. */
  readonly path: string | null;
  readonly reason: string | null;
}

export function renderPatches({ folder, files }: WrittenPatches, width: number): string {
  const isSome = files.some(({ path }) => path !== null);
  const command = `patch ${folder === null ? '' : `-d ${folder} `}-p0 < FILE`;
  const how = 'each says what the compiler makes of it, and what to look out for';
  const head = isSome ? `Patches, for ${command}; ${how}:` : 'No patch is written:';
  const lines = files.flatMap(({ finding, path, reason }) => {
    const label = finding === 'all' ? 'All of these: ' : `${finding}. `;
    const text = path ?? `${isSome ? 'no patch: ' : ''}${reason}.`;
    return wrap(text, proseWidth(width) - INDENT.length - label.length).map(
      (line, index) => INDENT + (index === 0 ? label : ' '.repeat(label.length)) + line,
    );
  });
  return `\n${[...wrap(head, width), ...lines].join('\n')}\n`;
}
