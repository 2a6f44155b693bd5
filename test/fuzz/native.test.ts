// A sample of `npm run fuzz:native`: its corpus and the inputs that were once found, under the sanitizers. Left out where the target is not built, which takes
// a minute of its own.

import { describe, expect, test } from 'vitest';
import { isTargetBuilt, runTarget, writeCorpus } from './native.js';

describe(`the engine under its sanitizers${isTargetBuilt() ? '' : ' (left out: npm run fuzz:native builds it)'}`, () => {
  test.runIf(isTargetBuilt())('two hundred inputs, and all that were once found, end in a result or a typed error', () => {
    writeCorpus();
    const { status, said } = runTarget(0);
    expect(status, said.split('\n').slice(-40).join('\n')).toBe(0);
  });
});
