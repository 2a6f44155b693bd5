// Stage: none of its own. What a native library holds outside of V8's heap is given back when its handle is collected,
// and V8, which does not know how much that is, sees no reason to: a loop over many such buffers asks for it.

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
