// A sample of `npm run fuzz:native`: its corpus and the inputs that were once found, under the sanitizers. The target
// is built first, which takes most of a minute, and nothing where it is up to date.

import { beforeAll, describe, expect, test } from 'vitest';
import { buildTarget, canBuildTarget, runTarget, writeCorpus } from './native.js';

const isThere = canBuildTarget();
describe(`the engine under its sanitizers${isThere ? '' : ' (left out: libclang-rt-19-dev is not installed)'}`, () => {
  beforeAll(() => {
    if (isThere) buildTarget();
  });

  test.runIf(isThere)('two hundred inputs, and all that were once found, end in a result or a typed error', () => {
    writeCorpus();
    const { status, said } = runTarget(0);
    expect(status, said.split('\n').slice(-40).join('\n')).toBe(0);
  });
});
