// Stage: test. Each heap object says how the program came to allocate it, from entries and exits that are in the trace
// anyway.
import { describe, expect, it } from 'vitest';
import { build, record, report } from './recorded.js';

const PATHS = {
  101: ['make', 'outer', 'main'],
  102: ['make', 'down', 'down', 'down', 'down', 'down', 'down', 'main'],
  103: ['make', 'outer', 'main'],
  104: ['make', 'main'],
  105: ['make', 'outer'],
};

describe.each(['-O0', '-O1'])('at %s', (level) => {
  it.each(['native', 'ts'])('a path of at most eight functions, innermost first, in the %s engine', (engine) => {
    const trace = record(build('called.cc', [level, '-fno-optimize-sibling-calls']));
    const rows = report(trace, 'address-set', '--engine', engine).rows.filter(
      (row) => row.kind === 'heap' && row.bytes > 100 && row.bytes < 106,
    );
    const paths = Object.fromEntries(
      rows.map((row) => [row.bytes, row.path.filter((name: string) => !name.startsWith('std::'))]),
    );
    expect(paths).toEqual(PATHS);
  });
});
