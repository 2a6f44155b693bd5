// Stage: command line -> patch. How a source file is compiled: as compile_commands.json says, or with its own folder to
// include from and nothing else.

import { readFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { DprofError } from '../base/dprof-error.js';
import { splitWords } from '../base/shell-words.js';

export interface CompileCommand {
  readonly source: string;
  readonly isCpp: boolean;
  /** Without the compiler, the source and what is written. */
  readonly flags: readonly string[];
}

const C = ['.c'];
const CPP = ['.cc', '.cpp', '.cxx', '.c++', '.C'];
/** With a word behind it. */
const WRITTEN = /^-(?:o|MF|MT|MQ)$/;
const DROPPED = /^-(?:c|M|MM|MD|MMD|MP|MG|E|S|save-temps.*|o.+|MF.+|MT.+|MQ.+)$/;

/** Headers are no source: each is compiled with what includes it. */
export function isSource(path: string): boolean {
  return C.includes(extname(path)) || CPP.includes(extname(path));
}

export class CompileCommands {
  private constructor(private readonly bySource: ReadonlyMap<string, CompileCommand>) {}

  /** `path`: of a compile_commands.json; undefined: there is none. */
  static read(path: string | undefined): CompileCommands {
    return new CompileCommands(path === undefined ? new Map() : readCommands(path));
  }

  of(source: string): CompileCommand {
    const isCpp = CPP.includes(extname(source));
    return this.bySource.get(source) ?? { source, isCpp, flags: [`-I${dirname(source)}`] };
  }
}

function readCommands(path: string): Map<string, CompileCommand> {
  const refuse = (what: string): never => {
    throw new DprofError(
      `--compile-commands: ${path} ${what}`,
      'give the compile_commands.json that the build writes: cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or bear',
      2,
    );
  };
  let entries: unknown;
  try {
    entries = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return refuse(error instanceof SyntaxError ? 'is no JSON' : 'cannot be read');
  }
  if (!Array.isArray(entries)) return refuse('is no list of commands');
  return new Map(
    entries.map((entry: unknown): [string, CompileCommand] => {
      const { directory, file, command, arguments: given } = (entry ?? {}) as Record<string, unknown>;
      const words = Array.isArray(given) ? given.map(String) : typeof command === 'string' ? splitWords(command) : null;
      if (typeof directory !== 'string' || typeof file !== 'string' || words === null)
        return refuse('has an entry without directory, file and command');
      const source = resolve(directory, file);
      return [source, { source, isCpp: CPP.includes(extname(source)), flags: flagsOf(words, directory, source) }];
    }),
  );
}

function flagsOf(words: readonly string[], directory: string, source: string): string[] {
  // Before the first option stand the compiler and what starts it.
  const first = words.findIndex((word) => word.startsWith('-'));
  const flags = first < 0 ? [] : words.slice(first);
  const isDropped = (word: string, before = ''): boolean =>
    DROPPED.test(word) ||
    WRITTEN.test(word) ||
    WRITTEN.test(before) ||
    (!word.startsWith('-') && resolve(directory, word) === source);
  const kept = flags.filter((word, index) => !isDropped(word, flags[index - 1]));
  return [`-working-directory=${directory}`, ...kept];
}
