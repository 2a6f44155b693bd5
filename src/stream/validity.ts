// Stage: stream. Which rows of a column have a value: bit row % 8 of byte row / 8, in whole words of 64 bits.

export function bytesOfValidity(rows: number): number {
  return Math.ceil(rows / 64) * 8;
}

export function hasValue(validity: Uint8Array, row: number): boolean {
  return ((validity[row >> 3] >> (row & 7)) & 1) === 1;
}

export function setValid(validity: Uint8Array, row: number): void {
  validity[row >> 3] |= 1 << (row & 7);
}

export function allValid(rows: number): Uint8Array {
  const validity = new Uint8Array(bytesOfValidity(rows));
  for (let row = 0; row < rows; row++) setValid(validity, row);
  return validity;
}
