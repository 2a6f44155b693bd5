// Stage: case studies. `npm run case-studies`: builds and records the programs, and writes what the commands in the
// pages print into the pages. With names, only those studies; with --pictures, their pictures too. --bounds prints the
// table of what bounds them, and writes nothing.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printBounds } from './bounds.js';
import { graphsOf, regenerate } from './page.js';
import { takePictures } from './pictures.js';
import { buildStudies, pageOf, placeOf, ROOT, SOURCES, STUDIES } from './studies.js';

const out = join(ROOT, 'build/case-studies');
const words = process.argv.slice(2);
if (words.includes('--bounds')) {
  printBounds();
  process.exit(0);
}
const asked = words.filter((word) => word !== '--pictures');
const unknown = asked.find((name) => !(STUDIES as readonly string[]).includes(name));
if (unknown !== undefined) throw new Error(`no case study is named ${unknown}: ${STUDIES.join(', ')}`);
mkdirSync(out, { recursive: true });
buildStudies(out);
for (const study of STUDIES.filter((name) => asked.length === 0 || asked.includes(name))) {
  const page = readFileSync(pageOf(study), 'utf8');
  const written = regenerate(page, placeOf(study, out));
  writeFileSync(pageOf(study), written);
  for (const graph of graphsOf(page)) copyFileSync(join(out, study, graph), join(SOURCES, study, graph));
  process.stdout.write(`${study}: ${written === page ? 'as it was' : 'changed'}\n`);
}
if (words.includes('--pictures')) await takePictures(out);
