// Stage: check -> SARIF 2.1.0 (OASIS), as GitHub's code scanning and editors read it: a result for each failed
// statement, at the line of the source where most of it happens.

import type { CheckResult, ProgramResult, StatementResult } from '../check/check-result.js';
import type { MeasureName } from '../check/asked.js';
import { MEASURES } from '../check/measures.js';
import { factOf, reasonsOf } from '../report/check-words.js';

/** GitHub takes 25,000 results and shows 5,000. */
const MOST_RESULTS = 5000;
const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The rule of programs that could not be built, run or replayed. */
const BROKEN = 'runs';

/** `version`: dprof's. */
export function renderSarif({ programs }: CheckResult, version: string): string {
  const failed = programs
    .flatMap((program) => program.statements.map((statement) => ({ program, statement })))
    .filter(({ statement }) => statement.status === 'failed');
  const broken = programs.filter(({ error }) => error !== null);
  const rules = [
    ...new Set(failed.map(({ statement }) => statement.measure)),
    ...(broken.length === 0 ? [] : [BROKEN]),
  ].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'dprof',
            semanticVersion: /^\d+\.\d+\.\d+$/.test(version) ? version : '0.0.0',
            rules: rules.map((id) => ({
              id,
              shortDescription: { text: id === BROKEN ? 'a program runs' : MEASURES[id as MeasureName].meaning },
              defaultConfiguration: { level: 'error' },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: [
          ...broken.map((program) => brokenResult(program, rules)),
          ...failed.map(({ program, statement }) => resultOf(program, statement, rules)),
        ].slice(0, MOST_RESULTS),
      },
    ],
  };
  return `${JSON.stringify(log, null, 1)}\n`;
}

function resultOf({ name }: ProgramResult, statement: StatementResult, rules: readonly string[]): object {
  const { text, measure, place, at } = statement;
  const lines = [`${text}: ${factOf(statement)}`, ...reasonsOf(statement)];
  const location = at === null ? { file: place.file, line: place.line } : at;
  return {
    ruleId: measure,
    ruleIndex: rules.indexOf(measure),
    level: 'error',
    message: { text: lines.join('\n') },
    locations: [{ physicalLocation: physical(location) }],
    relatedLocations: [{ id: 1, message: { text: 'what must hold' }, physicalLocation: physical(place) }],
    partialFingerprints: { 'dprofStatement/v1': `${name}: ${text}` },
  };
}

function brokenResult({ name, place, error }: ProgramResult, rules: readonly string[]): object {
  return {
    ruleId: BROKEN,
    ruleIndex: rules.indexOf(BROKEN),
    level: 'error',
    message: { text: `${error?.message}\n${error?.hint}` },
    locations: [{ physicalLocation: physical(place) }],
    partialFingerprints: { 'dprofStatement/v1': `${name}: ${BROKEN}` },
  };
}

function physical({ file, line }: { readonly file: string; readonly line: number }): object {
  const uri = file
    .replace(/^\.\//, '')
    .replaceAll(LONE_SURROGATES, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  const artifact = file.startsWith('/') ? { uri: `file://${uri}` } : { uri, uriBaseId: '%SRCROOT%' };
  return { artifactLocation: artifact, region: { startLine: line } };
}
