import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { encodeTyped } from './write-samples.js';
import { packetSamples } from './sampled-fixture.js';
test('x', () => { writeFileSync('/tmp/views-x.dpsamples', encodeTyped(packetSamples())); });
