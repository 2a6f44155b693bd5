// Stage: bench. A profile -> 200 of its references, drawn with a seed, each with the type that dprof gives it beside
// the source line that made it, for checking by eye. Run as `node dist/bench/typing-sample.js PROFILE SOURCE-FOLDER
// [SEED]`.
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { readProfile } from '../src/profile/profile-reader.js';
import { counterIndex } from '../src/profile/counters.js';
import { COUNTERS, RULES } from '../src/contract/result.js';
import { spellFunction, spellName, spellSite } from '../src/views/sites.js';
import { seededDraw } from './statistics.js';

const DRAWN = 200;

const [profilePath, sourceFolder, seed = '1'] = process.argv.slice(2);
if (sourceFolder === undefined) {
  process.stderr.write('usage: node dist/bench/typing-sample.js PROFILE SOURCE-FOLDER [SEED]\n');
  process.exit(2);
}
const profile = readProfile(profilePath);
const { tallies, types, strings, sites } = profile;

const upTo = new Float64Array(tallies.type.length);
let references = 0;
for (let row = 0; row < upTo.length; row++) {
  const at = row * COUNTERS.length;
  references += tallies.counters[at + counterIndex('loads')] + tallies.counters[at + counterIndex('stores')];
  upTo[row] = references;
}

const sources = new Map<string, string[]>();
function sourceLine(file: string, line: number): string {
  let lines = sources.get(file);
  if (!lines) {
    const path = isAbsolute(file) ? file : resolve(sourceFolder, file);
    lines = file !== '' && existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    sources.set(file, lines);
  }
  return lines[line - 1]?.trim() ?? '(no source)';
}

const draw = seededDraw(Number(seed));
process.stdout.write(`${DRAWN} of ${references} references, seed ${seed}\n`);
for (let i = 0; i < DRAWN; i++) {
  const wanted = draw() * references;
  const row = upTo.findIndex((bound) => bound > wanted);
  const site = tallies.site[row];
  const field = spellName(profile, tallies.field[row]);
  const type = strings[types.name[tallies.type[row]]] + (field === null ? '' : `.${field}`);
  const place = `${spellSite(profile, site) ?? '?'} ${spellFunction(profile, site) ?? '?'}`;
  process.stdout.write(
    `${String(i + 1).padStart(3)} ${RULES[tallies.rule[row]].padEnd(10)} ${type}\n      ${place}\n      ` +
      `${sourceLine(strings[sites.file[site]], sites.line[site])}\n`,
  );
}
