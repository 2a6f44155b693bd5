// Typed samples as the bytes of their file.

import { SamplesWriter } from '../../src/hardware/samples/samples-writer.js';
import type { Mapping } from '../../src/hardware/samples/samples.js';
import type { TypedSamples } from '../../src/hardware/samples/typed-samples.js';

export function writeTyped(typed: TypedSamples, mappings: readonly Mapping[] = []): Buffer {
  const pieces: Buffer[] = [];
  const { run, events, lost, names, changes: threads } = typed;
  new SamplesWriter({ write: (bytes: Buffer) => void pieces.push(Buffer.from(bytes)) }).finish(
    { run, events, lost, names, threads, mappings },
    typed,
  );
  return Buffer.concat(pieces);
}
