// Stage: test. `npm test` runs a sample of each slow proof; `npm run proofs` runs all of it (DPROF_PROOFS=1), and the
// files
// *.proof.ts, which have no place in the time of `npm test`.

export const IS_AT_LENGTH = process.env.DPROF_PROOFS === '1';

/** `sample` in `npm test`, `all` in `npm run proofs`. */
export function atLength<T>(sample: T, all: T): T {
  return IS_AT_LENGTH ? all : sample;
}
