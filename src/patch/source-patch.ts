// Stage: change -> patch. A change of structs and variables as a unified diff of the program's sources, with what to
// look out for. What the compiler makes of the changed sources must be what was foretold.

import { dirname } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import type { Catalog } from '../contract/catalog.js';
import type { SurveyedObjects } from '../what-if/survey-columns.js';
import type { RelaidTypes } from '../what-if/what-if.js';
import { checkAligned, checkAsForetold, checkAsRecorded, layoutIn, layoutUpTo, spellLayout } from './check-layout.js';
import type { CompileCommands } from './compile-commands.js';
import { applyEdits, placeAfter, type Edit } from './edits.js';
import { findDeclarations, subjectOfType, subjectOfVariable, type Subject } from './found-declarations.js';
import { PatchNotes } from './patch-notes.js';
import { readDefinition } from './record-definition.js';
import { Refusal } from './refusal.js';
import { readText } from './source-text.js';
import { structEdits } from './struct-edits.js';
import { variableEdit } from './variable-edit.js';

export interface SourcePatch {
  /** What was checked, and what to look out for. */
  readonly notes: readonly string[];
  readonly diff: string;
}

export class SourcePatcher {
  private readonly notes: PatchNotes;

  /** `compilers`: the folder of dprof-cc. `base`: names of files in diffs are relative to it. */
  constructor(
    private readonly catalog: Catalog,
    objects: SurveyedObjects,
    private readonly commands: CompileCommands,
    private readonly compilers: string,
    base: string,
  ) {
    this.notes = new PatchNotes(catalog, objects, base);
  }

  /** Raises a Refusal where it cannot be written safely. */
  async write({ changes, layouts, variables }: RelaidTypes): Promise<SourcePatch> {
    const { catalog } = this;
    const structs = changes.map((change) => ({ change, subject: subjectOfType(catalog, change.type) }));
    const globals = definedVariables(catalog, variables);
    const subjects = [...structs, ...globals].map(({ subject }) => subject);
    if (subjects.length === 0) throw new Refusal('it changes no struct and no variable');
    const found = await findDeclarations(catalog, subjects, this.commands, this.compilers);
    const before = new Map(subjects.map(({ path }) => [path, readText(path)!]));
    const edits = new Map([...before.keys()].map((path): [string, Edit[]] => [path, []]));
    const notes: string[] = [];
    const ends = new Map<Subject, number>();
    for (const { change, subject } of structs) {
      const { node, run } = found.definitions.get(subject)!;
      checkAsRecorded(catalog, change.type, layoutIn(catalog, change.type, run));
      const definition = readDefinition(node, before.get(subject.path)!);
      edits.get(subject.path)!.push(...structEdits(catalog, definition, before.get(subject.path)!, run.isCpp, change));
      notes.push(...this.notes.ofStruct(change, subject, definition.isPacked));
      ends.set(subject, definition.end);
    }
    for (const { bytes, subject } of globals) {
      const { node, run } = found.definitions.get(subject)!;
      edits.get(subject.path)!.push(variableEdit(node, before.get(subject.path)!, run.isCpp, bytes));
      notes.push(this.notes.ofVariable(subject));
    }
    const after = new Map([...edits].map(([path, own]) => [path, applyEdits(before.get(path)!, own)]));
    const checked = structs.map(({ change: { type }, subject }) => {
      const { run } = found.definitions.get(subject)!;
      const end = placeAfter(edits.get(subject.path)!, ends.get(subject)!);
      const made = layoutUpTo(catalog, type, run, after, [subject.path, end]);
      checkAsForetold(catalog, made, layouts.get(type)!);
      return `The compiler lays ${catalog.types.name[type]} out as predicted, ${spellLayout(catalog, made)}.`;
    });
    for (const { bytes, subject } of globals) {
      checkAligned(subject.qualified, bytes, found.definitions.get(subject)!.run, after);
      checked.push(`The compiler aligns ${subject.name} to ${bytes} bytes.`);
    }
    notes.push(...this.notes.ofSources(found, changes, after));
    return {
      notes: [
        ...checked,
        this.notes.where(found, changes),
        ...(notes.length === 0 ? ['nothing of these'] : notes).map((note) => `- ${note}`),
      ],
      diff: [...after].map(([path, text]) => this.diffOf(path, before.get(path)!, text)).join(''),
    };
  }

  private diffOf(path: string, before: string, after: string): string {
    const [old, changed] = [before, after].map((text) => Buffer.from(text, 'latin1').toString());
    const name = this.notes.nameOf(path);
    return createTwoFilesPatch(name, name, old, changed).replace(/^(?:Index: .*\n)?=+\n/, '');
  }
}

/** Below this folder, if all files are; else below the one that they have in common. */
export function baseOf(paths: readonly string[], here: string): string {
  const isBelow = (folder: string): boolean =>
    paths.every((path) => path.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
  if (isBelow(here) || paths.length === 0) return here;
  let folder = dirname(paths[0]);
  while (!isBelow(folder)) folder = dirname(folder);
  return folder;
}

/** Each definition once: units that only declare a variable have a row for it, too. */
function definedVariables(
  catalog: Catalog,
  variables: ReadonlyMap<number, number>,
): { readonly bytes: number; readonly subject: Subject }[] {
  const found = new Map<string, { bytes: number; subject: Subject }>();
  for (const row of catalog.globals.variable) {
    const bytes = variables.get(row);
    if (bytes === undefined) continue;
    const subject = subjectOfVariable(catalog, row);
    found.set(`${subject.path}:${subject.line}`, { bytes, subject });
  }
  return [...found.values()];
}
