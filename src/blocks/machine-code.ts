// Stage: trace -> blocks. The machine code of a program's plain bodies, as runtime/hardware/code/plain_bodies.h reads
// it from an ELF file.

/** Addresses are those of the ELF file. */
export interface CodeBlock {
  readonly address: number;
  /** Hexadecimal. */
  readonly code: string;
  /** The same in stretches, without calls and what ends the block. */
  readonly stretches: readonly string[];
  readonly instructions: number;
  /** Addresses of the blocks of its function that may follow. */
  readonly next: readonly number[];
  /** It may go on somewhere that is not in `next`: it returns, or jumps to an address that is computed. */
  readonly leaves: boolean;
  /** It jumps to an address that is computed, by no table that was found. */
  readonly isJump: boolean;
  /**
   * It ends in the test that chooses between the two bodies, which `code` and `instructions` are without: `next` is the
   * plain body, this is where the one that records begins. 0: it does not.
   */
  readonly otherBody: number;
  /** It is of the body that records: it names a path. */
  readonly logs: boolean;
  readonly returns: boolean;
  /** It jumps out of the function, or may: a call in a tail position. */
  readonly callsLast: boolean;
  /** What is in `next` follows only if the call at its end returns. */
  readonly endsInCall: boolean;
}

/** Where a record's place in the plain body came to lie. */
export interface CodeProbe {
  readonly address: number;
  /** The digest of its unit: unit-records.ts. */
  readonly unit: string;
  /** 1 + its number in the unit; 0: the plain body begins here. */
  readonly record: number;
}

export interface CodeFunction {
  /** As the linker spells it. */
  readonly name: string;
  readonly address: number;
  /** Of `address` in the file. */
  readonly offset: number;
  /** Ascending, as are `probes`. */
  readonly blocks: readonly CodeBlock[];
  readonly probes: readonly CodeProbe[];
  /** Where its jumps to computed addresses lead; empty: nobody knows. */
  readonly targets: readonly number[];
}
