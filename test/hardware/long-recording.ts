// Stage: test. A constructed recording as long as one likes: the rounds of a short one, again and again, later each
// time.

import { closeSync, openSync, writeSync } from 'node:fs';
import { RecordType } from '../../src/hardware/import/perf-layout.js';
import { constructPebs } from './constructed.js';

const ROUND_SAMPLES = 16_384;
/** Size of the data in the header; time in a sample record, behind header, identifier, instruction and thread. */
const DATA_OFFSET_AT = 40;
const DATA_BYTES_AT = 48;
const FEATURE_BITS_AT = 72;
const TIME_AT = 32;
const HEADER_AT = 6;

/** `samples`: a multiple of 16,384. */
export function writeLongRecording(path: string, samples: number): void {
  const short = constructPebs({ samples: ROUND_SAMPLES });
  const dataAt = Number(short.readBigUInt64LE(DATA_OFFSET_AT));
  const dataBytes = Number(short.readBigUInt64LE(DATA_BYTES_AT));
  const data = short.subarray(dataAt, dataAt + dataBytes);
  const places: number[] = [];
  let [first, last, end] = [0, 0n, 0];
  for (let at = 0; at < data.length; at += data.readUInt16LE(at + HEADER_AT)) {
    const type = data.readUInt32LE(at);
    if (type === RecordType.finishedRound) end = at + 8;
    if (type !== RecordType.sample) continue;
    if (places.length === 0) first = at;
    places.push(at - first);
    const time = data.readBigUInt64LE(at + TIME_AT);
    if (time > last) last = time;
  }
  const round = Buffer.from(data.subarray(first, end));
  const begin = round.readBigUInt64LE(TIME_AT);
  const rounds = samples / ROUND_SAMPLES;
  const more = round.length * (rounds - 1);
  const head = Buffer.from(short.subarray(0, dataAt));
  head.writeBigUInt64LE(BigInt(dataBytes + more), DATA_BYTES_AT);
  const features = Buffer.from(short.subarray(dataAt + dataBytes));
  for (let bits = head.readBigUInt64LE(FEATURE_BITS_AT), at = 0; bits > 0n; bits &= bits - 1n, at += 16)
    features.writeBigUInt64LE(features.readBigUInt64LE(at) + BigInt(more), at);
  const file = openSync(path, 'w');
  for (const part of [head, data.subarray(0, first)]) writeSync(file, part);
  for (let one = 0; one < rounds; one++) {
    writeSync(file, round);
    for (const place of places)
      round.writeBigUInt64LE(round.readBigUInt64LE(place + TIME_AT) + (last - begin + 1n), place + TIME_AT);
  }
  for (const part of [data.subarray(end), features]) writeSync(file, part);
  closeSync(file);
}
