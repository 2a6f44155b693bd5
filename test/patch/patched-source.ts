// Stage: test. The source of a program -> what a change of it would be as a patch, without running the program.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Catalog } from '../../src/contract/catalog.js';
import { CompileCommands } from '../../src/patch/compile-commands.js';
import { SourcePatcher } from '../../src/patch/source-patch.js';
import { buildCatalog } from '../../src/trace/catalog-builder.js';
import { readUnits } from '../../src/trace/unit-reader.js';
import { compileNow } from '../../src/what-if/compile-types.js';
import { layoutsOf } from '../../src/what-if/new-layouts.js';
import { parseChanges, type StructWords } from '../../src/what-if/parse-changes.js';
import type { SurveyedObjects } from '../../src/what-if/survey-columns.js';
import { variableAligns } from '../../src/what-if/variable-change.js';
import { makeTemporaryFolder } from '../temporary-folder.js';

const BIN = resolve(import.meta.dirname, '../../bin');
const FOLDER = makeTemporaryFolder('patch');
let programs = 0;

const NO_OBJECTS: SurveyedObjects = {
  count: 0,
  address: new Float64Array(),
  sizeBytes: new Float64Array(),
  declared: new Uint32Array(),
  allocationSlot: new Uint32Array(),
  variable: new Uint32Array(),
  said: new Int32Array(),
  whole: new Uint32Array(),
  kind: new Uint8Array(),
  flags: new Uint8Array(),
};

export interface Program {
  readonly folder: string;
  readonly catalog: Catalog;
}

/** `sources`: by their names; what ends in .h is not compiled by itself. */
export function compiled(sources: Readonly<Record<string, string>>): Program {
  const folder = join(FOLDER, String(programs++));
  mkdirSync(folder);
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, name), text);
  const modules = Object.keys(sources)
    .filter((name) => !name.endsWith('.h'))
    .map((name, number) => {
      const [object, section] = [join(folder, `${name}.o`), join(folder, `${name}.units`)];
      const compiler = name.endsWith('.c') ? 'dprof-cc' : 'dprof-c++';
      execFileSync(join(BIN, compiler), ['-g', '-fstandalone-debug', '-O1', '-c', join(folder, name), '-o', object]);
      execFileSync('llvm-objcopy-19', ['-O', 'binary', '--only-section=dprof_units', object, section]);
      const units = readFileSync(section);
      const [{ variables }] = readUnits(units);
      const globals = Array.from({ length: Math.max(0, variables.count - 1) }, (_, index) => {
        return { address: BigInt((number + 1) << 20) + BigInt(index << 8), unit: 0, variable: index + 1 };
      });
      return { number, path: name, buildId: '', offset: 0, globals, units };
    });
  return { folder, catalog: buildCatalog(modules) };
}

export interface Patched {
  /** By the names of files. */
  readonly texts: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly diff: string;
}

/** The files as git makes them of the patch. */
export async function patched(
  { folder, catalog }: Program,
  words: StructWords,
  compileCommands?: string,
): Promise<Patched> {
  const commands = CompileCommands.read(compileCommands);
  const patcher = new SourcePatcher(catalog, NO_OBJECTS, commands, BIN, folder);
  const { variables, rest } = variableAligns(catalog, words.align ?? []);
  const changes = parseChanges(catalog, { ...words, align: rest });
  const layouts = compileNow(layoutsOf(catalog, changes, BIN, new Set()));
  const { diff, notes } = await patcher.write({ changes, layouts, variables });
  const names = [...diff.matchAll(/^\+\+\+ (.*)$/gm)].map(([, name]) => name);
  const copy = `${folder}-patched`;
  execFileSync('rm', ['-rf', copy]);
  execFileSync('cp', ['-r', folder, copy]);
  const file = join(dirname(copy), 'change.patch');
  writeFileSync(file, `${notes.map((note) => `# ${note}\n`).join('')}${diff}`);
  execFileSync('git', ['apply', '-p0', file], { cwd: copy });
  const texts = Object.fromEntries(names.map((name) => [name, readFileSync(join(copy, name), 'utf8')]));
  return { texts, notes, diff };
}
