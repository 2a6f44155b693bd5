// Stage: command line -> replay. The names of several machines of one command, each of them different.

import { basename } from 'node:path';
import { describeMachineOf, type MachineRequest } from './parse-machine.js';
import { usageError } from './sizes.js';

/**
 * Each by its own name; where two have the same (a file says "zen3" and is not the preset), those by what was given to
 * --machine. The same one given twice is a mistake: other flags change all machines of a command alike.
 */
export function nameMachines(requests: readonly MachineRequest[]): string[] {
  const words = requests.map(({ machine = 'default' }) => machine);
  const twice = firstTwice(words);
  if (twice !== undefined)
    throw usageError(
      `--machine ${twice} is given twice`,
      'other flags change every machine; to compare two that differ in one, write a file with "base" and what differs',
    );
  const own = requests.map(({ machine }) => describeMachineOf(machine).name);
  const names = own.map((name, index) => (own.filter((other) => other === name).length > 1 ? words[index] : name));
  return firstTwice(names) === undefined ? names : words;
}

/**
 * The same with each machine's name put in before the extension: "run.dprofile" is "run.zen3.dprofile". A file's path
 * is its last part.
 */
export function namedOutputs(output: string, names: readonly string[]): string[] {
  const dot = basename(output).lastIndexOf('.');
  const at = dot <= 0 ? output.length : output.length - (basename(output).length - dot);
  const outputs = names.map((name) => `${output.slice(0, at)}.${fileWord(name)}${output.slice(at)}`);
  const twice = firstTwice(outputs);
  if (twice === undefined) return outputs;
  const [first, second] = names.filter((_, index) => outputs[index] === twice);
  throw usageError(
    `-o ${output}: the profiles of ${first} and ${second} would both be ${twice}`,
    'give one of the files another "name", or replay one after the other',
  );
}

function fileWord(name: string): string {
  return (
    basename(name)
      .replace(/\.json$/, '')
      .replace(/[^\w.+-]+/g, '-') || 'machine'
  );
}

function firstTwice(words: readonly string[]): string | undefined {
  return words.find((word, index) => words.indexOf(word) < index);
}
