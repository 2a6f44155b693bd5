// Stage: profile -> views. The servers of references, in few words: as a heading, and as the way in which a reference
// was served.

import type { Server } from '../contract/machine.js';

export const SERVER_NAMES: Readonly<Record<Server, string>> = {
  l1: 'L1',
  l2: 'L2',
  llc: 'LLC',
  cache: 'other cache',
  memory: 'memory',
  'remote-cache': 'remote cache',
  'remote-memory': 'remote memory',
};

export const SERVER_WORDS: Readonly<Record<Server, string>> = {
  l1: 'by L1',
  l2: 'by L2',
  llc: 'by LLC',
  cache: 'by other cache',
  memory: 'by memory',
  'remote-cache': 'by remote cache',
  'remote-memory': 'by remote memory',
};
