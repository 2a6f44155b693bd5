// A command of advice is pasted into a shell: whatever a type is called, it stays one word of dprof's. What is printed
// cannot do anything to a terminal.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandOf, plainText } from '../../src/report/advice-words.js';

test.each([["struct a'; echo struck; '=64"], ['$(echo struck)'], ['`echo struck`'], ['a\\'], ['a "b" !c']])(
  '%s',
  (word) => {
    const command = commandOf("my 'run'.dptrace", ['--align', word]);
    const words = execFileSync('sh', ['-c', command.replace(/^dprof/, "printf '%s\\n'")], { encoding: 'utf8' });
    expect(words).toBe(`what-if\nmy 'run'.dptrace\n--align\n${word}\n`);
  },
);

test('what a terminal would obey is spelled out', () => {
  expect(commandOf('run.dptrace', ['--pad', 'a\nb=+64'])).toBe("dprof what-if run.dptrace --pad 'a\\nb=+64'");
  expect(plainText([{ name: '\x1b[31m' }, ' at ', { site: 'folder/a\u202e.c:7' }, { prose: '\n' }])).toBe(
    '\\x1b[31m at a\\u{202e}.c:7\\n',
  );
});
