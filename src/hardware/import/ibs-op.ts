// Stage: hardware. AMD's IBS op record, the registers that a sample has as its raw data, to address, latency and data
// source, for recordings of kernels before 6.2, which do not derive them. The native decoder does it; this is its desk.

import { nativeRecords } from './native-records.js';

/** Registers with branch target and one more: longer ones are not read to their end. */
const MOST_RAW_BYTES = 128;
/** The answer's 64-bit words, as runtime/hardware/records/addon.cc lays them out. */
const Word = {
  hasAddress: 0,
  hasPhysicalAddress: 1,
  address: 2,
  physicalAddress: 3,
  dataSource: 4,
  missLatency: 5,
  retireLatency: 6,
  sizeBytes: 7,
} as const;
const WORDS = 8;

/** Family and model of the processor, of "AuthenticAMD,25,1,1"; 0 where it is not known. */
export interface AmdModel {
  readonly family: number;
  readonly model: number;
}

export function parseAmdModel(cpuId: string): AmdModel {
  const [, family, model] = /^AuthenticAMD,(\d+),(\d+)/.exec(cpuId) ?? [];
  return { family: Number(family ?? 0), model: Number(model ?? 0) };
}

/** One record at a time; a 64-bit answer goes to where it belongs as two halves. */
export class IbsOp {
  readonly #raw = new Uint8Array(MOST_RAW_BYTES);
  readonly #halves = new Uint32Array(2 * WORDS);
  readonly #decode: (bytes: number) => boolean;

  constructor({ family, model }: AmdModel) {
    this.#decode = nativeRecords().openIbs(family, model, this.#raw, new Uint8Array(this.#halves.buffer));
  }

  /** False: too short, or not valid. */
  read(raw: Uint8Array): boolean {
    const bytes = Math.min(raw.length, MOST_RAW_BYTES);
    this.#raw.set(raw.subarray(0, bytes));
    return this.#decode(bytes);
  }

  get hasAddress(): boolean {
    return this.#low(Word.hasAddress) !== 0;
  }

  get hasPhysicalAddress(): boolean {
    return this.#low(Word.hasPhysicalAddress) !== 0;
  }

  /** Cycles that the miss took; 0 of a hit, and of a store. */
  get missLatency(): number {
    return this.#low(Word.missLatency);
  }

  /** From the tag to retirement, in cycles. */
  get retireLatency(): number {
    return this.#low(Word.retireLatency);
  }

  get sizeBytes(): number {
    return this.#low(Word.sizeBytes);
  }

  /** To halves of a row, low one first. */
  store(what: 'address' | 'physicalAddress' | 'dataSource', halves: Uint32Array, row: number): void {
    halves[2 * row] = this.#halves[2 * Word[what]];
    halves[2 * row + 1] = this.#halves[2 * Word[what] + 1];
  }

  #low(word: number): number {
    return this.#halves[2 * word];
  }
}
