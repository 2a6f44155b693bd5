// Stage: hardware. How a perf.data begins: of which byte order it is, whether it was written to a file or to a pipe,
// and where its sections lie.

import type { ByteSource } from '../../profile/byte-source.js';
import { ByteView } from './byte-view.js';
import { FILE_MAGIC, FILE_MAGIC_SWAPPED, OLD_MAGICS } from './perf-layout.js';
import { SamplesError } from '../samples/samples-error.js';

export interface Section {
  readonly offset: number;
  readonly bytes: number;
}

export interface PerfHeader {
  readonly isLittle: boolean;
  /** Written to a pipe: events and features are records, and there are no sections. */
  readonly isPipe: boolean;
  readonly attributeBytes: number;
  readonly attributes: Section;
  readonly data: Section;
  /** perf record did not come to write how long its data is: they go on to the end. */
  readonly isUnfinished: boolean;
  /** Numbers of those that follow the data, each with its section. */
  readonly features: readonly { readonly feature: number; readonly section: Section }[];
}

const PIPE_HEADER_BYTES = 16;
const FILE_HEADER_BYTES = 104;
const FEATURE_BITS = 256;
const SECTION_BYTES = 16;
const NOTHING: Section = { offset: 0, bytes: 0 };
const NOT_PERF = 'this is not a perf.data file; name one that perf record wrote';

export function readHeader(file: ByteSource): PerfHeader {
  const head = file.read(0, FILE_HEADER_BYTES);
  const magic = head.toString('latin1', 0, 8);
  if (head.length === 0)
    throw new SamplesError(
      'perf.data',
      0,
      `"${FILE_MAGIC}"`,
      'an empty file',
      'nothing was recorded into it; perf record says why on its standard error',
    );
  if (OLD_MAGICS.includes(magic))
    throw new SamplesError(
      'perf.data magic',
      0,
      `"${FILE_MAGIC}"`,
      JSON.stringify(magic),
      'written by a perf of before 2010; record again with a newer one',
    );
  if (magic !== FILE_MAGIC && magic !== FILE_MAGIC_SWAPPED)
    throw new SamplesError('perf.data magic', 0, `"${FILE_MAGIC}"`, JSON.stringify(magic), NOT_PERF);
  const isLittle = magic === FILE_MAGIC;
  const view = new ByteView(head, 0, isLittle, 'perf.data header');
  const size = view.number(8);
  if (size === PIPE_HEADER_BYTES) {
    return {
      isLittle,
      isPipe: true,
      attributeBytes: 0,
      attributes: NOTHING,
      data: { offset: PIPE_HEADER_BYTES, bytes: file.length - PIPE_HEADER_BYTES },
      isUnfinished: false,
      features: [],
    };
  }
  if (size !== FILE_HEADER_BYTES)
    throw new SamplesError(
      'perf.data header',
      8,
      `a size of ${PIPE_HEADER_BYTES} or ${FILE_HEADER_BYTES} bytes`,
      `${size}`,
    );
  const attributeBytes = view.number(16);
  const attributes = readSection(view, 24, file, 'event attributes');
  const isUnfinished = view.number(48) === 0;
  const data = isUnfinished
    ? { offset: view.number(40), bytes: Math.max(0, file.length - view.number(40)) }
    : readSection(view, 40, file, 'data');
  if (data.offset > file.length)
    throw new SamplesError('data section', 40, `an offset of at most ${file.length}`, `${data.offset}`);
  return {
    isLittle,
    isPipe: false,
    attributeBytes,
    attributes,
    data,
    isUnfinished,
    features: isUnfinished ? [] : readFeatureSections(view, file, data),
  };
}

export function readSection(view: ByteView, at: number, file: ByteSource, what: string): Section {
  const section = { offset: view.number(at), bytes: view.number(at + 8) };
  if (section.offset + section.bytes <= file.length) return section;
  throw new SamplesError(
    `${what} section`,
    view.offset + at,
    `an end of at most ${file.length} bytes`,
    `${section.offset} and ${section.bytes} more`,
  );
}

/** Their sections stand behind the data, in order of their bits. */
function readFeatureSections(view: ByteView, file: ByteSource, data: Section): PerfHeader['features'] {
  const numbers = Array.from({ length: FEATURE_BITS }, (_, bit) => bit).filter((bit) => {
    const word = 72 + 8 * (bit >> 6);
    return (((bit & 63) < 32 ? view.low(word) >>> (bit & 31) : view.high(word) >>> (bit & 31)) & 1) === 1;
  });
  const begin = data.offset + data.bytes;
  const table = new ByteView(
    file.read(begin, numbers.length * SECTION_BYTES),
    begin,
    view.isLittle,
    'feature sections',
  );
  return numbers.map((feature, index) => ({
    feature,
    section: readSection(table, index * SECTION_BYTES, file, `feature ${feature}`),
  }));
}
