// Stage: views -> text. The names of the typing ledger's groups.

import type { TypingGroup } from '../views/typing-ledger.js';

export const TYPING_GROUP_NAMES: Record<TypingGroup, string> = {
  named: 'type or variable named',
  heapBySite: 'heap object, by allocation site',
  scalar: 'scalar only',
  untyped: 'untyped',
};
