// Stage: views -> text. What the groups of the typing ledger are called.

import type { TypingGroup } from '../views/typing-ledger.js';

export const TYPING_GROUP_NAMES: Record<TypingGroup, string> = {
  named: 'type or variable named',
  heapBySite: 'heap object, by allocation site',
  scalar: 'scalar only',
  untyped: 'untyped',
};
