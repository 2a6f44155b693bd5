// Stage: test. `npm test` runs a sample of each slow proof. `npm run proofs` (DPROF_PROOFS=1) runs all of it, and the
// files *.proof.ts, which take too long for `npm test`.

export const IS_AT_LENGTH = process.env.DPROF_PROOFS === '1';

/** `sample` in `npm test`, `all` in `npm run proofs`. */
export function atLength<T>(sample: T, all: T): T {
  return IS_AT_LENGTH ? all : sample;
}
