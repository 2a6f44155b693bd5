// Stage: replay. The coherent hierarchy of caches: L1s, L2s and LLCs of any sharing, inclusion, protocol and policy,
// with prefetchers and TLBs. docs/replay/caches.md and "Whole machines", is the definition.

import type { WholeTotals } from '../contract/result.js';
import { Cache } from './cache.js';
import { Coherence, Server } from './coherence.js';
import type { CompleteMachine } from '../contract/complete-machine.js';
import { Prefetchers } from './prefetchers.js';
import { TlbUnit } from './tlb.js';
import { topologyOf } from './topology.js';

/** Events of lines, each told before anything else happens. */
export interface CacheEvents {
  /** The reference under way hit an L1. */
  hit(unit: number, line: number): void;
  /** The line came into a unit of a level (index into LEVELS). */
  filled(level: number, unit: number, line: number): void;
  /** The line had to leave the unit for another line, or because an inclusive level lost it. */
  evicted(level: number, unit: number, line: number): void;
  /** The line left the unit otherwise: it moved up out of an exclusive level, or a store of others removed it. */
  left(level: number, unit: number, line: number): void;
  /** One invalidation: a store is about to remove the line from another L1 unit, which has it in this unit. */
  invalidated(level: number, unit: number, line: number): void;
}

/** An LLC and the domains above it. */
interface Group {
  readonly llc: Cache;
  readonly domains: Domain[];
}

/** An L2 and the L1s above it: the granularity of Modified. */
interface Domain {
  readonly number: number;
  readonly socket: number;
  readonly l1s: Cache[];
  readonly l2: Cache;
  readonly group: Group;
}

interface Core {
  readonly l1: Cache;
  readonly domain: Domain;
  readonly tlb: TlbUnit | null;
}

export class Hierarchy {
  invalidations = 0;
  upgrades = 0;
  /** For the last reference: the number of levels that it missed, from L1 on. */
  missedLevels = 0;
  /** For the last reference: index into SERVERS. */
  server = 0;
  /** For the last reference, by level L1, L2. */
  readonly prefetchIssued: [number, number] = [0, 0];
  readonly prefetchHits: [number, number] = [0, 0];
  /** For the last reference. 0: the TLB's first level hit; 1: only its second level hit; 2: a walk. */
  tlbMisses = 0;
  tlbCycles = 0;

  /** By level, then by unit. */
  readonly levels: readonly [readonly Cache[], readonly Cache[], readonly Cache[]];
  /** By level, then by core: its unit. */
  readonly unitOf: readonly [readonly number[], readonly number[], readonly number[]];
  readonly coherence: Coherence;
  private readonly cores: readonly Core[];
  private readonly domains: readonly Domain[];
  private readonly prefetchers: readonly Prefetchers[];
  private readonly tlbTotals: [number, number] = [0, 0];
  private backInvalidations = 0;

  constructor(
    private readonly machine: CompleteMachine,
    physicalLine: (line: number) => number,
    private readonly events: CacheEvents,
  ) {
    const { cores, lineBytes, seed, tlb } = machine;
    const { unitOf, units, socketOf } = topologyOf(machine);
    const build = (level: 0 | 1 | 2, name: 'l1' | 'l2' | 'llc'): Cache[] =>
      Array.from(
        { length: units[level] },
        (_, unit) => new Cache(machine[name], lineBytes, { seed, level, unit }, physicalLine),
      );
    this.unitOf = unitOf;
    this.levels = [build(0, 'l1'), build(1, 'l2'), build(2, 'llc')];
    const groups = this.levels[2].map((llc): Group => ({ llc, domains: [] }));
    this.domains = this.levels[1].map((l2, number): Domain => {
      const first = unitOf[1].indexOf(number);
      return { number, socket: socketOf[first], l1s: [], l2, group: groups[unitOf[2][first]] };
    });
    for (const domain of this.domains) domain.group.domains.push(domain);
    this.levels[0].forEach((l1, unit) => this.domains[unitOf[1][unitOf[0].indexOf(unit)]].l1s.push(l1));
    const tlbs = this.levels[0].map(() => (tlb === undefined ? null : new TlbUnit(tlb)));
    this.cores = Array.from({ length: cores }, (_, core) => ({
      l1: this.levels[0][unitOf[0][core]],
      domain: this.domains[unitOf[1][core]],
      tlb: tlbs[unitOf[0][core]],
    }));
    this.prefetchers = [machine.l1, machine.l2].map(({ prefetchers }) => new Prefetchers(prefetchers, lineBytes));
    const socketOfDomain = this.domains.map(({ socket }) => socket);
    this.coherence = new Coherence(machine, socketOfDomain, (domain, line) => isHeldIn(this.domains[domain], line));
  }

  /** A window begins: totals are 0, and the caches as they are. */
  restartCounts(): void {
    this.invalidations = this.upgrades = this.backInvalidations = this.coherence.writeBacks = 0;
    this.tlbTotals.fill(0);
    for (const cache of this.levels.flat()) cache.issued = cache.useful = cache.useless = 0;
  }

  totals(): WholeTotals {
    const sum = (level: 0 | 1, of: (cache: Cache) => number): number =>
      this.levels[level].reduce((total, cache) => total + of(cache), 0);
    const byLevel = (of: (cache: Cache) => number): [number, number] => [sum(0, of), sum(1, of)];
    return {
      backInvalidations: this.backInvalidations,
      prefetchIssued: byLevel((cache) => cache.issued),
      prefetchUseful: byLevel((cache) => cache.useful),
      prefetchUseless: byLevel((cache) => cache.countUseless()),
      tlbMisses: [...this.tlbTotals],
    };
  }

  /**
   * A reference of the slot, at `address`, by a core of domain d to the line: L1, L2 and LLC are looked up until one
   * hits; the levels that missed are filled; a store then removes the line from everybody else; prefetches come last.
   */
  reference(coreNumber: number, line: number, isStore: boolean, address: number, slot: number): void {
    const core = this.cores[coreNumber];
    const page = this.pageOf(address);
    this.translate(core, page);
    this.prefetchHits.fill(0);
    const isL1Hit = core.l1.lookUp(line);
    if (isL1Hit) {
      this.prefetchHits[0] = Number(core.l1.usePrefetched(line));
      this.events.hit(core.l1.identity.unit, line);
      this.missedLevels = 0;
      this.server = Server.l1;
    } else {
      this.fetchForL1(core.domain, line, page, isStore);
      this.leaveL1(core.domain, this.fill(core.l1, line));
    }
    if (isStore) this.store(core, line, isL1Hit);
    this.prefetch(core, slot, address);
  }

  private pageOf(address: number): number {
    return Math.floor(address / this.machine.pageBytes);
  }

  /** Every reference looks the TLB's first level up, its miss the second; who misses both, or has no second, walks. */
  private translate(core: Core, page: number): void {
    this.coherence.touchPage(page, core.domain.socket);
    if (core.tlb === null) return;
    const { l2LatencyCycles, walkLatencyCycles } = this.machine.tlb!;
    this.tlbMisses = core.tlb.reference(page);
    this.tlbCycles = [0, l2LatencyCycles, walkLatencyCycles][this.tlbMisses];
    for (let level = 0; level < this.tlbMisses; level++) this.tlbTotals[level]++;
  }

  // -- fetching

  private fetchForL1(domain: Domain, line: number, page: number, isStore: boolean): void {
    const { l2 } = domain;
    this.prefetchHits[1] = Number(l2.usePrefetched(line));
    if (this.lookUp(l2, line, this.machine.l2.inclusion)) {
      this.missedLevels = 1;
      this.server = Server.l2;
      return;
    }
    const { isLlcHit, server } = this.fetchForL2(domain, line, page, isStore);
    this.missedLevels = isLlcHit ? 2 : 3;
    this.server = server;
    this.fillL2(domain, line);
  }

  private fetchForL2(
    domain: Domain,
    line: number,
    page: number,
    isStore: boolean,
  ): { isLlcHit: boolean; server: number } {
    const { number, socket, group } = domain;
    const { inclusion } = this.machine.llc;
    const isLlcHit = this.lookUp(group.llc, line, inclusion);
    const server = this.coherence.serve({ domain: number, socket, line, page, isStore, isLlcHit });
    if (!isLlcHit && inclusion !== 'exclusive') this.leaveLlc(group, this.fill(group.llc, line));
    return { isLlcHit, server };
  }

  /** A hit touches the policy of the level. A line that hits in an exclusive level leaves it. */
  private lookUp(cache: Cache, line: number, inclusion: string): boolean {
    const isHit = cache.lookUp(line);
    if (isHit && inclusion === 'exclusive') this.takeOut(cache, line);
    return isHit;
  }

  /** A line on its way to an L1 fills the L2, unless that is exclusive. */
  private fillL2(domain: Domain, line: number): void {
    if (this.machine.l2.inclusion !== 'exclusive') this.leaveL2(domain, this.fill(domain.l2, line));
  }

  /** Returns the line that had to leave. */
  private fill(cache: Cache, line: number): number | null {
    const { level, unit } = cache.identity;
    const victim = cache.fill(line);
    if (victim !== null) this.events.evicted(level, unit, victim);
    this.events.filled(level, unit, line);
    return victim;
  }

  // -- leaving: what a fill pushed out, null for nothing

  /** An exclusive L2 takes what leaves its L1s, once none of them has it. */
  private leaveL1(domain: Domain, line: number | null): void {
    if (line === null) return;
    if (this.machine.l2.inclusion === 'exclusive' && !isInL1s(domain, line))
      this.leaveL2(domain, this.fill(domain.l2, line));
    this.leaveDomain(domain, line);
  }

  /** A line that leaves an inclusive L2 leaves the L1s above it. */
  private leaveL2(domain: Domain, line: number | null): void {
    if (line === null) return;
    if (this.machine.l2.inclusion === 'inclusive') this.removeFromL1s(domain, line);
    this.leaveDomain(domain, line);
  }

  /** A line that leaves an inclusive LLC leaves all caches above it. */
  private leaveLlc(group: Group, line: number | null): void {
    if (line === null || this.machine.llc.inclusion !== 'inclusive') return;
    for (const domain of group.domains) {
      this.removeFromL1s(domain, line);
      this.takeAlong(domain.l2, line);
      this.leaveDomain(domain, line);
    }
  }

  /** If no cache of the domain has the line now, it is clean; an exclusive LLC takes it once no cache above has it. */
  private leaveDomain(domain: Domain, line: number): void {
    if (isHeldIn(domain, line)) return;
    this.coherence.leave(line, domain.number);
    const { llc, domains } = domain.group;
    if (this.machine.llc.inclusion !== 'exclusive' || domains.some((other) => isHeldIn(other, line))) return;
    if (!llc.lookUp(line)) this.fill(llc, line);
  }

  private removeFromL1s(domain: Domain, line: number): void {
    for (const l1 of domain.l1s) this.takeAlong(l1, line);
  }

  /** One back-invalidation for each cache that an inclusive level below takes a line from. */
  private takeAlong(cache: Cache, line: number): void {
    if (!cache.remove(line)) return;
    this.backInvalidations++;
    this.events.evicted(cache.identity.level, cache.identity.unit, line);
  }

  private takeOut(cache: Cache, line: number): void {
    if (cache.remove(line)) this.events.left(cache.identity.level, cache.identity.unit, line);
  }

  // -- stores

  /**
   * A store removes the line from every other L1 unit's L1, from every L2 and every LLC that the core does not use. One
   * invalidation for each other L1 unit that loses it from its L1 or its L2; one upgrade if there was one and the store
   * had hit the L1. Then the line is modified in the core's domain.
   */
  private store(core: Core, line: number, isL1Hit: boolean): void {
    const { number, group } = core.domain;
    let holders = 0;
    for (const domain of this.domains) {
      const isInL2 = domain.number !== number && domain.l2.holds(line);
      for (const l1 of domain.l1s) {
        const holder = l1 !== core.l1 && l1.holds(line) ? l1 : isInL2 ? domain.l2 : null;
        if (holder === null) continue;
        holders++;
        this.events.invalidated(holder.identity.level, holder.identity.unit, line);
        if (holder === l1) this.takeOut(l1, line);
      }
      if (isInL2) this.takeOut(domain.l2, line);
    }
    for (const llc of this.levels[2]) if (llc !== group.llc) this.takeOut(llc, line);
    this.invalidations += holders;
    if (isL1Hit && holders > 0) this.upgrades++;
    this.coherence.modify(line, number);
  }

  // -- prefetches

  /**
   * A prefetch never fetches a line of another page than the reference's, a line that another domain has modified, or a
   * line that the level has already. Only references that missed the L1 ask the L2.
   */
  private prefetch(core: Core, slot: number, address: number): void {
    const page = this.pageOf(address);
    const { pageBytes, lineBytes } = this.machine;
    const { number } = core.domain;
    this.prefetchIssued.fill(0);
    for (let level = 0; level <= Math.min(this.missedLevels, 1); level++) {
      const isMiss = this.missedLevels > level;
      for (const line of this.prefetchers[level].wanted(core.l1.identity.unit, slot, address, isMiss)) {
        if (Math.floor(line / (pageBytes / lineBytes)) !== page) continue;
        if ((this.coherence.ownerOf(line) ?? number) !== number) continue;
        if (level === 0 ? this.prefetchIntoL1(core, line, page) : this.prefetchIntoL2(core.domain, line, page))
          this.prefetchIssued[level]++;
      }
    }
  }

  /** Looks up and fills what lies below the L1 as a reference would, and then the L1. */
  private prefetchIntoL1({ l1, domain }: Core, line: number, page: number): boolean {
    if (l1.holds(line)) return false;
    if (!this.lookUp(domain.l2, line, this.machine.l2.inclusion)) {
      this.fetchForL2(domain, line, page, false);
      this.fillL2(domain, line);
    }
    const victim = this.fill(l1, line);
    l1.markPrefetched(line);
    this.leaveL1(domain, victim);
    return true;
  }

  /** The same below the L2, which is filled even if it is exclusive. */
  private prefetchIntoL2(domain: Domain, line: number, page: number): boolean {
    const isExclusive = this.machine.l2.inclusion === 'exclusive';
    if (domain.l2.holds(line) || (isExclusive && isInL1s(domain, line))) return false;
    this.fetchForL2(domain, line, page, false);
    const victim = this.fill(domain.l2, line);
    domain.l2.markPrefetched(line);
    this.leaveL2(domain, victim);
    return true;
  }
}

function isInL1s(domain: Domain, line: number): boolean {
  return domain.l1s.some((l1) => l1.holds(line));
}

function isHeldIn(domain: Domain, line: number): boolean {
  return domain.l2.holds(line) || isInL1s(domain, line);
}
