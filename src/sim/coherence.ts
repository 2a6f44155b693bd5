// Stage: replay. Coherence at the granularity of a domain (an L2 with the L1s above it): who holds each line modified,
// who fetched it last, and who answers when a reference misses the L2.

import type { CompleteMachine } from '../contract/complete-machine.js';

/** Index into SERVERS. */
export const Server = { l1: 0, l2: 1, llc: 2, cache: 3, memory: 4, remoteCache: 5, remoteMemory: 6 } as const;

/** A reference by a domain that missed its L2. */
export interface L2Miss {
  readonly domain: number;
  readonly socket: number;
  readonly line: number;
  readonly page: number;
  readonly isStore: boolean;
  readonly isLlcHit: boolean;
}

export class Coherence {
  /** Lines that were modified in a private cache, left the last cache of their domain or were loaded by another one. */
  writeBacks = 0;
  private readonly modifiedBy = new Map<number, number>();
  /** The domain whose reference or prefetch missed its L2 for the line last. */
  private readonly forwarder = new Map<number, number>();
  /** By page: its socket, the one of the core that referenced it first. */
  private readonly homes = new Map<number, number>();

  constructor(
    private readonly machine: CompleteMachine,
    private readonly socketOfDomain: readonly number[],
    private readonly isHeldIn: (domain: number, line: number) => boolean,
  ) {}

  /** The domain that holds the line modified. */
  ownerOf(line: number): number | undefined {
    return this.modifiedBy.get(line);
  }

  /** A store makes the line modified in its domain, and in no other. */
  modify(line: number, domain: number): void {
    this.modifiedBy.set(line, domain);
  }

  /** The page's home is the socket of the core that references it first. */
  touchPage(page: number, socket: number): void {
    if (!this.homes.has(page)) this.homes.set(page, socket);
  }

  /** The line left the last cache of the domain: one write-back if it was modified there, and it is clean. */
  leave(line: number, domain: number): void {
    if (this.ownerOf(line) === domain) this.writeBack(line);
  }

  /** Who answers a miss of the L2: the first of these that applies. */
  serve(miss: L2Miss): number {
    const { domain, socket, line, page, isStore, isLlcHit } = miss;
    const forwarder = this.forwarder.get(line);
    this.forwarder.set(line, domain);
    const owner = this.ownerOf(line);
    if (owner !== undefined) {
      // By a load of another domain under MESI and MESIF the line becomes clean; under MOESI the owner keeps it
      // modified.
      if (owner !== domain && !isStore && this.machine.protocol !== 'moesi') this.writeBack(line);
      return this.cacheOf(owner, socket);
    }
    if (isLlcHit) return Server.llc;
    if (this.machine.protocol === 'mesif' && forwarder !== undefined && forwarder !== domain)
      if (this.isHeldIn(forwarder, line)) return this.cacheOf(forwarder, socket);
    return (this.homes.get(page) ?? socket) === socket ? Server.memory : Server.remoteMemory;
  }

  private cacheOf(domain: number, socket: number): number {
    return this.socketOfDomain[domain] === socket ? Server.cache : Server.remoteCache;
  }

  private writeBack(line: number): void {
    this.modifiedBy.delete(line);
    this.writeBacks++;
  }
}
