// Stage: check. dprof.yml, read: which programs run, how, and what must hold.

import type { ErrorObject } from 'ajv';
import { closestNames, didYouMean } from '../base/closest-names.js';
import { splitWords } from '../base/shell-words.js';
import { CHECK_SCHEMA } from './check-schema.js';
import { schemaErrors } from './schema-errors.js';
import { parseStatement, type Statement, type StatementKind } from './statement.js';
import { YamlFile, type Place, type Way } from './yaml-file.js';

export const MANUAL = 'docs/check.md describes the file, docs/check.schema.json says the same to an editor';

export interface CheckedProgram {
  readonly name: string;
  /** Of its name in the file. */
  readonly place: Place;
  readonly run: readonly string[];
  readonly build?: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly inputs: readonly string[];
  readonly status: number;
  readonly machine?: string;
  readonly cores?: number;
  readonly from?: string;
  readonly to?: string;
  /** undefined: as many as the run needs. */
  readonly schedules?: number;
  readonly limits: readonly Statement[];
  readonly baseline: readonly Statement[];
}

interface WrittenProgram {
  readonly run: string | readonly string[];
  readonly build?: string;
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly stdin?: string;
  readonly inputs?: readonly string[];
  readonly status?: number;
  readonly machine?: string;
  readonly cores?: number;
  readonly from?: string;
  readonly to?: string;
  readonly schedules?: number;
  readonly limits?: readonly WrittenStatement[];
  readonly baseline?: readonly WrittenStatement[];
}

type WrittenStatement = string | Readonly<Record<string, string | readonly string[]>>;

/** Throws DprofError, with line and column, for a file that is no dprof.yml. */
export function readCheckFile(path: string): CheckedProgram[] {
  const file = new YamlFile(path, MANUAL);
  const errors = schemaErrors(file.data, CHECK_SCHEMA);
  if (errors.length > 0) refuseFirst(file, errors);
  const { programs } = file.data as { readonly programs: Readonly<Record<string, WrittenProgram>> };
  return Object.entries(programs).map(([name, written]) => readProgram(file, name, written));
}

function readProgram(file: YamlFile, name: string, { run, ...written }: WrittenProgram): CheckedProgram {
  const way = ['programs', name];
  const words = typeof run === 'string' ? splitWords(run) : run;
  if (words === null) file.refuse([...way, 'run'], 'a quote is not closed');
  if (words.length === 0 || words[0] === '') file.refuse([...way, 'run'], 'no program is named');
  const { limits = [], baseline = [] } = written;
  return {
    directory: '.',
    status: 0,
    ...written,
    name,
    place: file.keyOf(way),
    run: words,
    environment: Object.fromEntries(Object.entries(written.environment ?? {}).map(([key, value]) => [key, `${value}`])),
    inputs: written.inputs ?? [],
    limits: limits.flatMap((one, at) => readStatements(file, [...way, 'limits', at], one, 'limit')),
    baseline: baseline.flatMap((one, at) => readStatements(file, [...way, 'baseline', at], one, 'baseline')),
  };
}

function readStatements(file: YamlFile, way: Way, written: WrittenStatement, kind: StatementKind): Statement[] {
  const parts: { readonly way: Way; readonly subject: string; readonly text: string }[] =
    typeof written === 'string'
      ? [{ way, ...splitSubject(written) }]
      : Object.entries(written).flatMap(([subject, said]) =>
          typeof said === 'string'
            ? [{ way: [...way, subject], subject, text: said }]
            : said.map((text, at) => ({ way: [...way, subject, at], subject, text })),
        );
  return parts.flatMap((part) =>
    part.text.split(',').map((text) => {
      const parsed = parseStatement(part.subject, text.trim(), kind, file.placeOf(part.way));
      if ('wrong' in parsed) file.refuse(part.way, parsed.wrong, parsed.hint);
      return parsed;
    }),
  );
}

/** A quoted text may have its subject too: "struct node: bytes <= 64". */
function splitSubject(text: string): { readonly subject: string; readonly text: string } {
  const at = text.indexOf(': ');
  return at < 0 ? { subject: '', text } : { subject: text.slice(0, at).trim(), text: text.slice(at + 2) };
}

/** The first error in the file, told as a person would. */
function refuseFirst(file: YamlFile, errors: readonly ErrorObject[]): never {
  const deepest = [...errors]
    .filter(({ keyword }) => keyword !== 'anyOf')
    .sort((a, b) => depthOf(b) - depthOf(a) || Number(isUnknownWord(b)) - Number(isUnknownWord(a)));
  const error = deepest[0] ?? errors[0];
  const way = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const named = way.length === 0 ? 'the file' : `'${way.at(-1)}'`;
  if (error.keyword === 'additionalProperties') {
    const { additionalProperty: unknown } = error.params as { readonly additionalProperty: string };
    const known = Object.keys((error.parentSchema as { properties?: object } | undefined)?.properties ?? knownAt(way));
    const [closest] = closestNames(unknown, known);
    file.refuseKey(
      [...way, unknown],
      `unknown word '${unknown}'`,
      closest === undefined ? `known here: ${known.join(', ')}; ${MANUAL}` : `${didYouMean([closest])} ${MANUAL}`,
    );
  }
  if (error.keyword === 'required') {
    const { missingProperty } = error.params as { readonly missingProperty: string };
    file.refuse(way, `${named} has no '${missingProperty}'`);
  }
  if (error.propertyName !== undefined)
    file.refuseKey(
      [...way, error.propertyName],
      `'${error.propertyName}' is no name of a program`,
      'letters, digits, dots, dashes and underscores: it is a file under .dprof/',
    );
  file.refuse(way, `${named} ${spellRule(error)}`);
}

function depthOf({ instancePath }: ErrorObject): number {
  return instancePath.split('/').length;
}

function isUnknownWord({ keyword }: ErrorObject): boolean {
  return keyword === 'additionalProperties';
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'must be a mapping',
  array: 'must be a list',
  string: 'must be a text',
  integer: 'must be a whole number',
};

function spellRule({ keyword, params, message = 'is wrong' }: ErrorObject): string {
  if (/^min(Properties|Items|Length)$/.test(keyword)) return 'must not be empty';
  return keyword === 'type' ? (TYPES[(params as { readonly type: string }).type] ?? message) : message;
}

function knownAt(way: Way): object {
  return way.length === 0 ? CHECK_SCHEMA.properties : CHECK_SCHEMA.properties.programs.additionalProperties.properties;
}
