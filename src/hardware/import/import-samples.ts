// Stage: hardware. A recording of perf, or its text, to a file of samples.

import { setImmediate } from 'node:timers/promises';
import { DprofError } from '../../base/dprof-error.js';
import { openOutput } from '../../base/output-file.js';
import { bytesOfFile, type ByteSource } from '../../profile/byte-source.js';
import { FILE_MAGIC, FILE_MAGIC_SWAPPED, OLD_MAGICS } from './perf-layout.js';
import { readPerfData, type Reading } from './perf-reader.js';
import { DEFAULT_SCRIPT_FIELDS, readPerfScript, type ScriptField } from './perf-script-text.js';
import type { SampleColumns, SampleTables } from '../samples/samples.js';
import { SamplesWriter } from '../samples/samples-writer.js';

/** The result of an import, and the facts that are printed about it. */
export interface ImportedSamples {
  readonly tables: SampleTables;
  readonly samples: number;
}

/** perf's text has no magic: it is what is text and no perf.data. */
const TEXT_BYTES = 4096;

export interface ImportOptions {
  /** The fields of perf's text. */
  readonly fields?: readonly ScriptField[];
}

export type ImportProgress = (doneBytes: number, totalBytes: number) => void;

/** Packed columns are let go of by their library between two turns of the event loop only, so there are many turns. */
export async function importSamples(
  from: string,
  to: string,
  options: ImportOptions,
  onProgress: ImportProgress,
): Promise<ImportedSamples> {
  const source = bytesOfFile(from);
  try {
    const target = openOutput(to, 'the samples');
    try {
      const writer = new SamplesWriter(target);
      let samples = 0;
      const reading = startReading(
        source,
        (columns, rows) => {
          samples += rows;
          writer.add(columns, rows);
        },
        options,
      );
      let step = reading.next();
      for (; !step.done; step = reading.next()) {
        onProgress(step.value, source.length);
        await setImmediate();
      }
      writer.finish(step.value);
      target.finish();
      return { tables: step.value, samples };
    } catch (error) {
      throw target.fail(error);
    }
  } finally {
    source.close();
  }
}

/** At once. */
export function readSamples(
  source: ByteSource,
  onChunk: (columns: SampleColumns, rows: number) => void,
  options: ImportOptions = {},
): SampleTables {
  const reading = startReading(source, onChunk, options);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

function startReading(
  source: ByteSource,
  onChunk: (columns: SampleColumns, rows: number) => void,
  { fields }: ImportOptions,
): Reading {
  if (isPerfScript(source)) return readPerfScript(source, fields ?? DEFAULT_SCRIPT_FIELDS, onChunk);
  if (fields !== undefined)
    throw new DprofError('--fields is for the text of perf script', 'a perf.data says itself what it holds', 2);
  return readPerfData(source, onChunk);
}

function isPerfScript(source: ByteSource): boolean {
  const head = source.read(0, TEXT_BYTES);
  if (head.length === 0 || [FILE_MAGIC, FILE_MAGIC_SWAPPED, ...OLD_MAGICS].includes(head.toString('latin1', 0, 8)))
    return false;
  return head.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d);
}
