// Stage: HTML page. Who serves references, in few words.

import type { Server } from '../src/replay/machine.js';

export const SERVER_NAMES: Record<Server, string> = {
  l1: 'by L1',
  l2: 'by L2',
  llc: 'by LLC',
  cache: 'by other cache',
  memory: 'by memory',
  'remote-cache': 'by remote cache',
  'remote-memory': 'by remote memory',
};
