// Stage: test. Optimised code holds an object by pointers to its class and to the base: its type is the class.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runDprof } from '../cli/command-client.js';
import { build, FOLDER } from './recorded.js';

const STATE = 'std::thread::_State_impl<';
const SHARED = 'std::_Sp_counted_ptr_inplace<widget,';

test.each(['-O0', '-O1', '-O2', '-O3'])('%s: the objects of std::thread and std::make_shared', (level) => {
  const program = build('derived-objects.cc', [level, '-g', '-pthread']);
  const trace = join(FOLDER, `derived-objects${level}.dptrace`);
  expect(runDprof(['record', '-o', trace, '--', program]).status).toBe(0);
  const { rows } = JSON.parse(runDprof(['report', '--format', 'json', trace]).stdout) as {
    readonly rows: readonly { readonly type: string }[];
  };
  const types = rows.map(({ type }) => type);
  expect(types.filter((type) => type.startsWith(STATE) && !type.endsWith('*'))).toHaveLength(1);
  expect(types.filter((type) => type.startsWith(SHARED) && !type.endsWith('*'))).toHaveLength(1);
  expect(types.filter((type) => type === 'std::thread::_State')).toEqual([]);
});
