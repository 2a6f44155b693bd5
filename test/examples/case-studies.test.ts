// Stage: test. The case studies' pages: every table in them is what the commands print, and every number in their text
// stands in such a table or in the program.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { graphsOf, proseOf, regenerate, sessionsOf, textsOf } from '../../examples/case-studies/page.js';
import { buildStudies, pageOf, placeOf, SOURCES, STUDIES } from '../../examples/case-studies/studies.js';
import { workFolder } from './example-program.js';
import { atLength } from '../at-length.js';

const out = workFolder('case-studies');

beforeAll(() => {
  STUDIES.forEach((study) => mkdirSync(join(out, study), { recursive: true }));
  buildStudies(out);
});

/** The one whose commands take the least time. */
const REGENERATED = atLength<readonly string[]>(['aligned-buffers'], STUDIES);

describe.each(STUDIES)('%s', (study) => {
  const page = readFileSync(pageOf(study), 'utf8');

  test.runIf(REGENERATED.includes(study))(
    'the page says what the tools say: npm run case-studies writes it anew',
    () => {
      expect(regenerate(page, placeOf(study, out))).toBe(page);
      for (const graph of graphsOf(page))
        expect(textsOf(readFileSync(join(out, study, graph), 'utf8'))).toEqual(
          textsOf(readFileSync(join(SOURCES, study, graph), 'utf8')),
        );
      for (const [, picture] of page.matchAll(/!\[[^\]]*\]\(([^)]*)\)/g))
        expect(existsSync(join(SOURCES, study, picture)), picture).toBe(true);
    },
  );

  test('numbers in its text stand in its tables, in the program, or in the table of native throughput', () => {
    const known = new Set(
      numbersIn(
        [sessionsOf(page), readFileSync(join(SOURCES, study, `${study}.c`), 'utf8'), nativeTableOf(page)].join('\n'),
      ),
    );
    // Small whole numbers count things that the reader sees.
    const said = numbersIn(proseOf(page)).filter((number) => !/^\d{1,2}$/.test(number));
    expect(said.filter((number) => !known.has(number))).toEqual([]);
  });
});

function numbersIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.])\d[\d,]*(?:\.\d+)?/g)].map(([number]) => number.replace(/,$/, ''));
}

/** Measured where the page says, and not again. */
function nativeTableOf(page: string): string {
  return page.slice(page.indexOf('\n## Natively'));
}
