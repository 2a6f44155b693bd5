// Stage: hardware. What must hold of a samples file's tables before anything counts with them: their numbers are
// numbers.

import { FIELDS, SOURCES, type SampledEvent, type SampleTables } from './samples.js';

const DECIMAL = /^\d{1,20}$/;
const HEXADECIMAL = /^0x[0-9a-f]{1,16}$/;
const EITHER = /^(0x)?[0-9a-f]{1,20}$/;
const TEXTS = ['origin', 'hostname', 'kernel', 'architecture', 'cpu', 'cpuId', 'perfVersion'] as const;
const LOSSES = ['records', 'samples', 'throttles', 'truncatedAux', 'outOfOrder'] as const;

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether it is a table of counts by name. */
export function areCounts(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isCount);
}

export function isEvent(event: SampledEvent | null | undefined): boolean {
  if (
    typeof event?.name !== 'string' ||
    !SOURCES.includes(event.source) ||
    !Array.isArray(event.fields) ||
    !event.fields.every((field) => FIELDS.includes(field))
  )
    return false;
  const areTexts =
    [event.config, event.address, event.length, event.period].every(
      (text) => typeof text === 'string' && EITHER.test(text),
    ) &&
    (HEXADECIMAL.test(event.period) || DECIMAL.test(event.period));
  return areTexts && isCount(event.samples) && isCount(event.type) && isCount(event.preciseIp);
}

export function checkTables({ run, mappings, names, threads, lost }: SampleTables, complain: Complain): void {
  const require = (holds: boolean, what: string, expected: string, actual: unknown): void => {
    if (!holds) complain(what, expected, JSON.stringify(actual)?.slice(0, 100) ?? 'nothing');
  };
  require(Number.isInteger(run.clock), 'clock', 'a number', run.clock);
  require(TEXTS.every((key) => typeof run[key] === 'string') &&
    Array.isArray(run.command) &&
    run.command.every((word) => typeof word === 'string'), 'run', 'texts, and the words of a command', run);
  require(LOSSES.every((key) => isCount(lost[key])) && areCounts(lost.skipped), 'losses', 'counts', lost);
  for (const mapping of mappings) {
    const isPlace = [mapping?.start, mapping?.bytes, mapping?.fileOffset].every((text) => HEXADECIMAL.test(text));
    require(isPlace &&
      DECIMAL.test(mapping.time) &&
      Number.isInteger(mapping.pid) &&
      typeof mapping.file === 'string' &&
      /^[0-9a-f]*$/.test(mapping.buildId), 'mapping', 'a time, a process, addresses, a file and a build id', mapping);
  }
  for (const each of [...names, ...threads])
    require(DECIMAL.test(each?.time) &&
      Number.isInteger(each.pid) &&
      Number.isInteger(each.tid), 'thread', 'a time and numbers', each);
  for (const name of names) require(typeof name.name === 'string', 'name of a thread', 'a text', name);
  for (const change of threads)
    require(['fork', 'exit'].includes(change.kind) &&
      Number.isInteger(change.parentPid) &&
      Number.isInteger(change.parentTid), 'thread', 'fork or exit, and whose', change);
}

export type Complain = (what: string, expected: string, actual: string) => never;
