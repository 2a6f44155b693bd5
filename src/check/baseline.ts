// Stage: check. .dprof/NAME.json: the numbers of a program that may not grow, and how its structs were laid out when
// they were taken. Small, sorted and one number a line, so that a reviewer can read what changes in it.

import { DprofError } from '../base/dprof-error.js';
import { schemaErrors } from './schema-errors.js';
import { readSmallFile } from './read-file.js';
import { writeOutputFile } from './write-file.js';
import type { Range } from './range.js';
import type { StructShape } from './struct-shapes.js';

const MOST_BYTES = 4 << 20;
const UPDATE = 'dprof check --update writes it anew';

export interface Baseline {
  readonly schema: 'dprof.baseline/1';
  /** As reports name it: counts of another machine are other counts. */
  readonly machine: string;
  /** By the statement's key; [lowest, highest] where the order of threads matters. */
  readonly counts: Readonly<Record<string, number | Range>>;
  readonly structs: Readonly<Record<string, StructShape>>;
}

const NUMBER = { type: 'number', minimum: 0 } as const;
const RANGE = { type: 'array', minItems: 2, maxItems: 2, items: NUMBER } as const;
export const BASELINE_SCHEMA = {
  type: 'object',
  required: ['schema', 'machine', 'counts', 'structs'],
  properties: {
    schema: { const: 'dprof.baseline/1' },
    machine: { type: 'string' },
    counts: { type: 'object', additionalProperties: { anyOf: [NUMBER, RANGE] } },
    structs: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['bytes', 'fields'],
        properties: { bytes: NUMBER, fields: { type: 'object', additionalProperties: RANGE } },
      },
    },
  },
} as const;

/** undefined: there is none. Throws DprofError for a file that is no baseline. */
export function readBaseline(path: string): Baseline | undefined {
  let text: string | undefined;
  try {
    text = readSmallFile(path, MOST_BYTES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new DprofError(`${path}: ${(error as NodeJS.ErrnoException).code}`, 'it must be a file that can be read', 2);
  }
  if (text === undefined) throw new DprofError(`${path}: it has more than 4 MiB, and is no baseline`, UPDATE, 2);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new DprofError(`${path}: not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`, UPDATE, 2);
  }
  const [error] = schemaErrors(data, BASELINE_SCHEMA);
  if (error === undefined) return data as Baseline;
  const { instancePath, message } = error;
  const version = (data as { readonly schema?: unknown } | null)?.schema;
  if (instancePath === '/schema' && typeof version === 'string')
    throw new DprofError(`${path}: a baseline of another version (${version})`, UPDATE, 2);
  throw new DprofError(`${path}: no baseline: ${instancePath || 'the file'} ${message}`, UPDATE, 2);
}

export function writeBaseline(path: string, { counts, structs, ...rest }: Baseline): void {
  const sorted = <Value>(of: Readonly<Record<string, Value>>): string[] =>
    Object.keys(of)
      .sort()
      .map((key) => `    ${JSON.stringify(key)}: ${JSON.stringify(of[key])}`);
  const block = (lines: readonly string[]): string => (lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`);
  writeOutputFile(
    path,
    [
      '{',
      `  "schema": ${JSON.stringify(rest.schema)},`,
      `  "machine": ${JSON.stringify(rest.machine)},`,
      `  "counts": ${block(sorted(counts))},`,
      `  "structs": ${block(sorted(structs))}`,
      '}',
      '',
    ].join('\n'),
  );
}
