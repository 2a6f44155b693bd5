// Stage: command line. The file that `dprof advise --format json` printed -> advice with all its keys, of the program
// that the report is of.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv } from 'ajv/dist/jtd.js';
import { ADVICE_SCHEMA, type AdviceJson } from '../advise/advice-schema.js';
import { DprofError } from '../base/dprof-error.js';
import type { Profile } from '../profile/profile.js';

const [SCHEMA] = ADVICE_SCHEMA.properties.schema.enum;
const HINT = 'make the file so: dprof advise run.dptrace --format json > advice.json';
const MOST_CHARACTERS = 1 << 24;

/** As a person would say them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  uint32: 'a whole number',
  float64: 'a number',
  array: 'a list',
  object: 'an object',
};

export function readAdvice(path: string): AdviceJson {
  const refuse = (reason: string): never => {
    throw new DprofError(`--advice ${path}: ${reason}`, HINT, 2);
  };
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  if (text.length > MOST_CHARACTERS) refuse(`${text.length} characters are no advice`);
  const json = parse(text, refuse);
  const { schema } = json as { readonly schema?: unknown };
  if (schema !== SCHEMA)
    refuse(
      schema === undefined ? `it has no schema; ${SCHEMA} has one` : `not ${SCHEMA}, but ${JSON.stringify(schema)}`,
    );
  const isAdvice = new Ajv({ int32range: false }).compile<AdviceJson>(withMoreKeys(ADVICE_SCHEMA));
  if (isAdvice(json)) return json;
  return refuse(spellError(isAdvice.errors![0]));
}

/** Whatever the program's arguments were: the page says if these differ. */
export function refuseOtherProgram(
  { command }: Pick<AdviceJson, 'command'>,
  path: string,
  { run, sampled }: Pick<Profile, 'run' | 'sampled'>,
): void {
  if (sampled !== undefined)
    throw new DprofError(
      `--advice ${path}: the report is of samples, and advice is of every access`,
      'name the trace that it was made of',
      2,
    );
  const { command: own, processes = [] } = run;
  const names = [own, ...processes.map((process) => process.command)].map(([name = '']) => basename(name));
  if (names.some((name) => command === name || command.startsWith(`${name} `))) return;
  throw new DprofError(
    `--advice ${path}: it is advice for '${command}', and the report is of '${names[0]}'`,
    'make both of one trace: dprof advise run.dptrace --format json > advice.json',
    2,
  );
}

function parse(text: string, refuse: (reason: string) => never): object {
  let json: unknown;
  try {
    // 1e999 is no number that a report could print.
    json = JSON.parse(text, (_, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? null : value,
    );
  } catch (error) {
    refuse(`not JSON: ${(error as Error).message.replaceAll(/\s+/g, ' ')}`);
  }
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : refuse('not a JSON object');
}

/** Keys are added in time: a file may have more than are known here. */
function withMoreKeys(schema: object): Record<string, unknown> {
  const parts = Object.entries(schema).map(([key, part]: [string, unknown]) => [
    key,
    typeof part === 'object' && part !== null && !Array.isArray(part) ? withMoreKeys(part) : part,
  ]);
  return { ...Object.fromEntries(parts), ...('properties' in schema && { additionalProperties: true }) };
}

interface SchemaError {
  /** "/findings/0/cycles" */
  readonly instancePath: string;
  readonly message?: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** "findings[0].cycles must be a whole number" */
function spellError({ instancePath, message = '', params }: SchemaError): string {
  const at = instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
  const where = at === '' ? 'it' : at;
  if (typeof params.missingProperty === 'string') return `${where} has no ${params.missingProperty}`;
  if (Array.isArray(params.allowedValues)) return `${where} must be one of ${params.allowedValues.join(', ')}`;
  return `${where} ${message.replace(/(?<=^must be )\w+/, (type) => TYPES[type] ?? type)}`;
}
