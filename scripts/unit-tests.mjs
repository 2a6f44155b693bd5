// Every test file -> those that need no recorded program and no more than 3 s of a processor: neither they nor what
// they import start a process, load the native engine or the native decoders of samples, look into build/ or dist/, or
// repeat a check at length. scripts/check.mjs runs them; on a clone without build/ that is also the check of this rule.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MACHINERY = /child_process|native-engine|playwright|piscina|\bbuild\/|\bdist\/|bin\/dprof/;

/** Tests of many seeds or many processor seconds: more than 3 on a quiet core. They belong to npm test. */
const LONG = [
  'test/order/naive-order.test.ts',
  'test/profile/flow.test.ts',
  'test/profile/layouts.test.ts',
  'test/profile/merge-profiles.test.ts',
  'test/trace/event-round-trip.test.ts',
  'test/trace/trace-reader.test.ts',
  'test/views/flow-views.test.ts',
];
/** Their text, or what they import, only names what is built. */
const NAME_ONLY = [
  'test/fuzz/minimise.test.ts',
  'test/hardware/validate/validate-histories.test.ts',
  'test/house/docs.test.ts',
];
/** What a test imports that npm run proofs repeats at length. */
const REPEATED = /at-length\.js'/;

const seen = new Map();

function look(file) {
  if (!seen.has(file)) {
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g)]
      .map(([, path]) => join(dirname(file), `${path}.ts`))
      .filter(existsSync);
    // The pipeline's own files are reached by many tests that do not use the native engine; they load it when it is
    // asked for.
    seen.set(file, { imports, needs: file.startsWith('test') && (MACHINERY.test(text) || REPEATED.test(text)) });
  }
  return seen.get(file);
}

function needsMore(file, visited = new Set()) {
  if (visited.has(file)) return false;
  visited.add(file);
  const { imports, needs } = look(file);
  return needs || /native-(engine|records)\.ts$/.test(file) || imports.some((imported) => needsMore(imported, visited));
}

export function unitTests() {
  return readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join('test', file))
    .filter((file) => !LONG.includes(file) && (NAME_ONLY.includes(file) || !needsMore(file)))
    .sort();
}
