// Stage: hardware. What `perf script` prints to samples: placeholder.

import type { ByteSource } from '../profile/byte-source.js';
import type { ReaderProgress } from './perf-reader.js';
import type { SampleColumns, SampleTables } from './samples.js';

export function readPerfScript(_source: ByteSource, _onChunk: (columns: SampleColumns, rows: number) => void, _onProgress?: ReaderProgress): SampleTables {
  throw new Error('not yet');
}
