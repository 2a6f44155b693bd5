// Stage: case studies. `npm run case-studies`: builds and records the programs, and writes what the commands in the pages print into the pages. With
// names, only those studies.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { regenerate } from './page.js';
import { buildStudies, pageOf, placeOf, ROOT, STUDIES } from './studies.js';

const out = join(ROOT, 'build/case-studies');
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !(STUDIES as readonly string[]).includes(name));
if (unknown !== undefined) throw new Error(`no case study is named ${unknown}: ${STUDIES.join(', ')}`);
mkdirSync(out, { recursive: true });
buildStudies(out);
for (const study of STUDIES.filter((name) => asked.length === 0 || asked.includes(name))) {
  const page = readFileSync(pageOf(study), 'utf8');
  const written = regenerate(page, placeOf(study, out));
  writeFileSync(pageOf(study), written);
  process.stdout.write(`${study}: ${written === page ? 'as it was' : 'changed'}\n`);
}
