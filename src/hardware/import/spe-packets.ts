// Stage: hardware. Arm's Statistical Profiling Extension: packets to records, one for each sampled operation (Arm
// Architecture Reference Manual, chapter "Statistical Profiling Extension sample record specification"). Packets are
// little-endian in every file.

/** Values of a packet's first byte; sizes are in bits 4 and 5. */
const PADDING = 0x00;
const END = 0x01;
const TIMESTAMP = 0x71;

export const SpeOperation = { other: 1, load: 2, store: 4, branch: 8 } as const;
export const SpeEvent = {
  l1Access: 1 << 2,
  l1Refill: 1 << 3,
  tlbAccess: 1 << 4,
  tlbWalk: 1 << 5,
  lastLevelAccess: 1 << 8,
  lastLevelMiss: 1 << 9,
  remoteAccess: 1 << 10,
} as const;

export interface SpeRecord {
  /** Halves of the addresses, low ones first. */
  ip: [number, number];
  address: [number, number];
  physicalAddress: [number, number];
  timestamp: bigint;
  events: number;
  /** Bits of SpeOperation. */
  operation: number;
  /** -1: the record does not say. */
  source: number;
  context: number;
  latency: number;
}

const NOTHING: readonly [number, number] = [0, 0];

function emptyRecord(): SpeRecord {
  return {
    ip: [...NOTHING],
    address: [...NOTHING],
    physicalAddress: [...NOTHING],
    timestamp: 0n,
    events: 0,
    operation: 0,
    source: -1,
    context: -1,
    latency: 0,
  };
}

export interface SpeOutcome {
  /** Bytes that begin no packet: passed over one by one, as perf does. */
  readonly badBytes: number;
  /** A record without its end. */
  readonly cutRecords: number;
}

/** `bytes`: a whole buffer; records do not go on in the next one. */
export function readSpeRecords(bytes: Uint8Array, onRecord: (record: SpeRecord) => void): SpeOutcome {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let record = emptyRecord();
  let hasBegun = false;
  let badBytes = 0;
  const close = (): void => {
    if (hasBegun) onRecord(record);
    record = emptyRecord();
    hasBegun = false;
  };
  for (let at = 0; at < bytes.length; ) {
    let header = bytes[at];
    if (header === PADDING) {
      at++;
      continue;
    }
    if (header === END) {
      at++;
      close();
      continue;
    }
    // A header of two bytes begins with the high bits of the packet's index.
    let index = 0;
    let headerBytes = 1;
    if ((header & 0xfc) === 0x20 && at + 1 < bytes.length) {
      index = (header & 3) << 3;
      headerBytes = 2;
      header = bytes[at + 1];
      if (header === PADDING) {
        const alignment = 2 << (bytes[at] & 15);
        at += alignment - (at % alignment);
        continue;
      }
    }
    const size = 1 << ((header >> 4) & 3);
    const payload = at + headerBytes;
    if (!isPacket(header, headerBytes) || payload + size > bytes.length) {
      badBytes++;
      at++;
      record = emptyRecord();
      hasBegun = false;
      continue;
    }
    hasBegun = true;
    take(record, header, index | (header & 7), view, payload, size);
    at = payload + size;
    if (header === TIMESTAMP) close();
  }
  return { badBytes, cutRecords: hasBegun ? 1 : 0 };
}

function isPacket(header: number, headerBytes: number): boolean {
  const isLong = (header & 0xc8) === 0x80 || (header & 0xc8) === 0x88; // addresses, counters
  if (headerBytes === 2) return isLong;
  return (
    isLong ||
    header === TIMESTAMP ||
    (header & 0xcf) === 0x42 ||
    (header & 0xcf) === 0x43 ||
    (header & 0xcc) === 0x44 ||
    (header & 0xcc) === 0x48
  );
}

function take(record: SpeRecord, header: number, index: number, view: DataView, at: number, size: number): void {
  const low = size >= 4 ? view.getUint32(at, true) : size === 2 ? view.getUint16(at, true) : view.getUint8(at);
  const high = size === 8 ? view.getUint32(at + 4, true) : 0;
  if (header === TIMESTAMP) record.timestamp = (BigInt(high) << 32n) | BigInt(low);
  else if ((header & 0xcf) === 0x42) record.events = low;
  else if ((header & 0xcf) === 0x43) record.source = low & 0xffff;
  else if ((header & 0xcc) === 0x44) record.context = low;
  else if ((header & 0xcc) === 0x48) record.operation |= operationOf(header & 3, low);
  else if ((header & 0xc8) === 0x88) {
    if (index === 0) record.latency = low;
  } else takeAddress(record, index, low, high);
}

/** 0: other; 1: loads, stores and atomics, a store by its lowest bit; 2: branches. */
function operationOf(kind: number, payload: number): number {
  if (kind === 1) return payload & 1 ? SpeOperation.store : SpeOperation.load;
  return kind === 2 ? SpeOperation.branch : SpeOperation.other;
}

/**
 * The top byte is no address: of an instruction it has exception level and security state, of data a tag; of kernel
 * addresses it is all ones.
 */
function takeAddress(record: SpeRecord, index: number, low: number, high: number): void {
  const address = high & 0xff_ffff;
  const top = high >>> 24;
  if (index === 0) {
    const level = (top >> 5) & 3;
    record.ip = [low, ((top & 0x80) !== 0 && (level === 1 || level === 2) ? address | 0xff00_0000 : address) >>> 0];
  } else if (index === 2)
    record.address = [low, ((address & 0xf0_0000) === 0xf0_0000 ? address | 0xff00_0000 : address) >>> 0];
  else if (index === 3) record.physicalAddress = [low, address];
}
