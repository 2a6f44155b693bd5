/** One seeded fault of mutants.json. */
export interface Mutant {
  readonly name: string;
  /** Without folder, so that the file may move. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
  /** What is wrong then, in words. */
  readonly breaks: string;
  /** Files or folders of tests, at least one of which must fail. */
  readonly tests: readonly string[];
}

export const ROOT: string;
export function readMutants(): Mutant[];
export function listFiles(): string[];
export function kindOf(place: string): 'ts' | 'native';
export function placeFaults(mutants: readonly Mutant[]): (Mutant & { readonly place: string })[];
