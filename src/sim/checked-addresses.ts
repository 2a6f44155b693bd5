// Stage: replay. Addresses of events and globals to numbers: they lie below 2^53, ends included, or the trace is
// refused.

import { TraceError } from '../trace/trace-error.js';

export function globalAddress(address: bigint, sizeBytes: number): number {
  if (address + BigInt(sizeBytes) <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(address);
  throw new TraceError('address of a global', 0, 'an end below 2^53', `0x${address.toString(16)}`);
}

export function toAddress(address: bigint): number {
  if (address > BigInt(Number.MAX_SAFE_INTEGER))
    throw new TraceError('address', 0, 'below 2^53', `0x${address.toString(16)}`);
  return Number(address);
}
