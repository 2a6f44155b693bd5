// The recorder's checksum is zlib's, for each length and in two parts: tables and folding meet at every place.
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { root, Workbench } from './workbench.js';

const bench = new Workbench();
afterAll(() => bench.clean());

test('checksum_OfEachLengthAndInTwoParts_IsZlibs', () => {
  const text = Array.from({ length: 700 }, (_, i) => String.fromCharCode((i * i * 37 + i) % 127)).join('');
  const program = bench.compile('checksum.cc', {
    plain: true,
    flags: ['-fsanitize=address', '-I', join(root, 'runtime/include'), join(root, 'runtime/recorder/checksum.cc')],
  });
  const { status, stdout, stderr } = bench.run([program], {}, text);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const expected = Array.from({ length: text.length + 1 }, (_, n) => crc32(text.slice(0, n)));
  expect(stdout.trim().split('\n')).toEqual(expected.map((sum) => `${sum} ${sum}`));
});
