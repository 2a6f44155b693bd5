// Stage: none of its own. A native library's memory outside of V8's heap is given back when its handle is collected. V8
// does not know the size of that memory and sees no reason to collect, so a loop over many such buffers asks for it.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
