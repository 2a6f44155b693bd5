// Stage: hardware. What must hold of a samples file's tables before anything counts with them: their numbers are numbers.

import type { SampleTables } from './samples.js';
import type { Complain } from './typed-invariants.js';

const DECIMAL = /^\d{1,20}$/;
const HEXADECIMAL = /^0x[0-9a-f]{1,16}$/;

export function checkTables({ run, mappings, names, threads }: SampleTables, complain: Complain): void {
  const require = (holds: boolean, what: string, expected: string, actual: unknown): void => {
    if (!holds) complain(what, expected, JSON.stringify(actual)?.slice(0, 100) ?? 'nothing');
  };
  require(Number.isInteger(run.clock), 'clock', 'a number', run.clock);
  for (const mapping of mappings) {
    const isPlace = [mapping?.start, mapping?.bytes, mapping?.fileOffset].every((text) => HEXADECIMAL.test(text));
    require(isPlace && DECIMAL.test(mapping.time) && Number.isInteger(mapping.pid) && typeof mapping.file === 'string' && /^[0-9a-f]*$/.test(mapping.buildId), 'mapping', 'a time, a process, addresses, a file and a build id', mapping);
  }
  for (const each of [...names, ...threads]) require(DECIMAL.test(each?.time) && Number.isInteger(each.pid) && Number.isInteger(each.tid), 'thread', 'a time and numbers', each);
}
