// Stage: replay. The caches of a whole machine: any sharing, inclusion, protocol and replacement, prefetchers, TLBs and
// sockets. docs/replay/caches.md, "Whole machines", is the definition, and `reference` follows its numbering.
// hierarchy.ts is the same for plain machines, and quicker.

import type { Machine } from '../replay/machine.js';
import type { WholeTotals } from '../replay/result.js';
import type { WholeOutcome } from './cache-model.js';
import { NO_LINE } from './cache.js';
import { Server, UNHEARD, type CacheEvents } from './hierarchy.js';
import type { Lines } from './lines.js';
import { DEFAULT_PAGE_BYTES } from './page-colours.js';
import { Prefetchers } from './prefetchers.js';
import { TlbUnit } from './tlb.js';
import { topologyOf } from './topology.js';
import { WholeCache, type CacheSink } from './whole-cache.js';

const NOBODY = -1;

interface Group {
  readonly llc: WholeCache;
  readonly domains: Domain[];
}

interface Domain {
  readonly number: number;
  readonly socket: number;
  readonly l1s: WholeCache[];
  readonly l2: WholeCache;
  readonly group: Group;
}

interface Core {
  readonly l1: WholeCache;
  readonly domain: Domain;
  readonly tlb: TlbUnit | null;
}

export class WholeHierarchy implements WholeOutcome {
  invalidations = 0;
  upgrades = 0;
  writeBacks = 0;
  backInvalidations = 0;
  missedLevels = 0;
  server = 0;
  tlbMisses: 0 | 1 | 2 = 0;
  tlbCycles = 0;
  readonly prefetchIssued: [number, number] = [0, 0];
  readonly prefetchHits: [number, number] = [0, 0];

  readonly whole = this;
  readonly levels: readonly [readonly WholeCache[], readonly WholeCache[], readonly WholeCache[]];
  readonly unitOf: readonly [readonly number[], readonly number[], readonly number[]];
  private readonly cores: readonly Core[];
  private readonly domains: readonly Domain[];
  private readonly prefetchers: readonly Prefetchers[];
  private readonly pageBytes: number;
  private readonly linesOfPage: number;
  /** By page: its socket; null where nothing is remote. */
  private readonly homes: Map<number, number> | null;
  private readonly tlbTotals: [number, number] = [0, 0];
  /** By line, the domain that fetched it last; only MESIF asks. */
  private readonly forwarder: number[] = [];
  /** Who served what was fetched last, by a prefetch too. */
  private supplier = 0;

  constructor(
    private readonly machine: Machine,
    private readonly lines: Lines,
    sink: CacheSink | null = null,
    private readonly events: CacheEvents = UNHEARD,
  ) {
    const { cores, lineBytes, pageBytes = DEFAULT_PAGE_BYTES, seed = 1 } = machine;
    const { unitOf, units, socketOf } = topologyOf(machine);
    this.unitOf = unitOf;
    this.pageBytes = pageBytes;
    this.linesOfPage = pageBytes / lineBytes;
    const build = (level: 0 | 1 | 2, name: 'l1' | 'l2' | 'llc'): WholeCache[] =>
      Array.from(
        { length: units[level] },
        (_, unit) => new WholeCache(machine[name], lineBytes, { seed, level, unit }, sink),
      );
    this.levels = [build(0, 'l1'), build(1, 'l2'), build(2, 'llc')];
    const groups = this.levels[2].map((llc): Group => ({ llc, domains: [] }));
    this.domains = this.levels[1].map((l2, number): Domain => {
      const first = unitOf[1].indexOf(number);
      return { number, socket: socketOf[first], l1s: [], l2, group: groups[unitOf[2][first]] };
    });
    for (const domain of this.domains) domain.group.domains.push(domain);
    this.levels[0].forEach((l1, unit) => this.domains[unitOf[1][unitOf[0].indexOf(unit)]].l1s.push(l1));
    const tlbs = this.levels[0].map(() => (machine.tlb ? new TlbUnit(machine.tlb) : null));
    this.cores = Array.from({ length: cores }, (_, core) => ({
      l1: this.levels[0][unitOf[0][core]],
      domain: this.domains[unitOf[1][core]],
      tlb: tlbs[unitOf[0][core]],
    }));
    this.prefetchers = [machine.l1, machine.l2].map(({ prefetchers = [] }) => new Prefetchers(prefetchers, lineBytes));
    this.homes = new Set(socketOf).size > 1 ? new Map() : null;
  }

  reference(coreNumber: number, line: number, isStore: boolean, address: number, slot: number): void {
    const core = this.cores[coreNumber];
    this.translate(core, Math.floor(address / this.pageBytes));
    const isL1Hit = core.l1.reference(line, this.lines.placeOf(line));
    this.prefetchHits[0] = core.l1.wasPrefetched ? 1 : 0;
    this.prefetchHits[1] = 0;
    if (isL1Hit) {
      this.events.hit(this.unitOf[0][coreNumber], core.l1.frame);
      this.missedLevels = 0;
      this.server = Server.l1;
    } else {
      this.missedLevels = this.fetchForL1(core.domain, line, address, isStore);
      this.server = this.supplier;
      this.leaveL1(core.domain, this.fill(core.l1, line));
    }
    if (isStore) {
      const holders = this.removeFromOthers(core, line);
      this.invalidations += holders;
      if (isL1Hit && holders > 0) this.upgrades++;
      this.lines.modify(line, core.domain.number);
    }
    this.prefetch(coreNumber, address, slot);
  }

  restartCounts(): void {
    this.invalidations = this.upgrades = this.writeBacks = this.backInvalidations = 0;
    this.tlbTotals.fill(0);
    for (const cache of this.levels.flat()) cache.issued = cache.useful = cache.useless = 0;
  }

  totals(): WholeTotals {
    const prefetching = this.levels.slice(0, 2);
    const sum = (of: (cache: WholeCache) => number): [number, number] =>
      prefetching.map((caches) => caches.reduce((total, cache) => total + of(cache), 0)) as [number, number];
    return {
      backInvalidations: this.backInvalidations,
      prefetchIssued: sum((cache) => cache.issued),
      prefetchUseful: sum((cache) => cache.useful),
      prefetchUseless: sum((cache) => cache.useless + cache.countUnused()),
      tlbMisses: [...this.tlbTotals],
    };
  }

  private translate(core: Core, page: number): void {
    if (this.homes !== null && !this.homes.has(page)) this.homes.set(page, core.domain.socket);
    if (core.tlb === null) return;
    const { l2LatencyCycles, walkLatencyCycles } = this.machine.tlb!;
    this.tlbMisses = core.tlb.reference(page);
    this.tlbCycles = [0, l2LatencyCycles, walkLatencyCycles][this.tlbMisses];
    for (let level = 0; level < this.tlbMisses; level++) this.tlbTotals[level]++;
  }

  // -- fetching: returns how many levels missed

  private fetchForL1(domain: Domain, line: number, address: number, isStore: boolean): number {
    const { l2 } = domain;
    const isExclusive = this.machine.l2.inclusion === 'exclusive';
    if (l2.reference(line, this.lines.placeOf(line))) {
      this.prefetchHits[1] = l2.wasPrefetched ? 1 : 0;
      if (isExclusive) this.moveUp(l2, line);
      this.supplier = Server.l2;
      return 1;
    }
    const missed = this.fetchForL2(domain, line, address, isStore);
    if (!isExclusive) this.leaveL2(domain, this.fill(l2, line));
    return missed;
  }

  private fetchForL2(domain: Domain, line: number, address: number, isStore: boolean): number {
    const { llc } = domain.group;
    const isExclusive = this.machine.llc.inclusion === 'exclusive';
    const isHit = llc.touch(line, this.lines.placeOf(line));
    if (isHit && isExclusive) this.moveUp(llc, line);
    this.supplier = this.supply(domain, line, address, isStore, isHit);
    this.forwarder[line] = domain.number;
    if (!isHit && !isExclusive) this.leaveLlc(domain.group, this.fill(llc, line));
    return isHit ? 2 : 3;
  }

  /** Who answers a miss of the L2. */
  private supply(domain: Domain, line: number, address: number, isStore: boolean, isLlcHit: boolean): number {
    const { protocol = 'mesi' } = this.machine;
    if (this.lines.modifiedBy(line) !== NOBODY) {
      const owner = this.domains[this.lines.modifiedBy(line)];
      if (owner !== domain && !isStore && protocol !== 'moesi') {
        this.lines.modify(line, NOBODY);
        this.writeBacks++;
      }
      return owner.socket === domain.socket ? Server.cache : Server.remoteCache;
    }
    if (isLlcHit) return Server.llc;
    if (protocol === 'mesif') {
      const forwarder = this.domains[this.forwarder[line]] as Domain | undefined;
      if (forwarder !== undefined && forwarder !== domain && this.isHeldIn(forwarder, line))
        return forwarder.socket === domain.socket ? Server.cache : Server.remoteCache;
    }
    const home = this.homes?.get(Math.floor(address / this.pageBytes)) ?? domain.socket;
    return home === domain.socket ? Server.memory : Server.remoteMemory;
  }

  /** Returns the line that had to leave, or NO_LINE. */
  private fill(cache: WholeCache, line: number, isPrefetch = false): number {
    const { level, unit } = cache.identity;
    const victim = isPrefetch
      ? cache.prefetch(line, this.lines.placeOf(line))
      : cache.fill(line, this.lines.placeOf(line));
    this.events.filled(level, unit, cache.frame, line, victim);
    return victim;
  }

  private moveUp(cache: WholeCache, line: number): void {
    cache.remove(line, this.lines.placeOf(line));
    this.events.moved(cache.identity.level, cache.identity.unit, cache.frame, line);
  }

  /** With the line of an inclusive level. */
  private takeAlong(cache: WholeCache, line: number): void {
    if (!cache.remove(line, this.lines.placeOf(line))) return;
    this.backInvalidations++;
    this.events.evicted(cache.identity.level, cache.identity.unit, cache.frame, line);
  }

  // -- leaving: a line that a fill pushed out, NO_LINE for none

  private leaveL1(domain: Domain, line: number): void {
    if (line === NO_LINE) return;
    if (this.machine.l2.inclusion === 'exclusive' && !this.isInL1s(domain, line))
      this.leaveL2(domain, this.fill(domain.l2, line));
    this.leaveDomain(domain, line);
  }

  private leaveL2(domain: Domain, line: number): void {
    if (line === NO_LINE) return;
    if (this.machine.l2.inclusion === 'inclusive') this.removeFromL1s(domain, line);
    this.leaveDomain(domain, line);
  }

  private leaveLlc(group: Group, line: number): void {
    if (line === NO_LINE || this.machine.llc.inclusion !== 'inclusive') return;
    for (const domain of group.domains) {
      this.removeFromL1s(domain, line);
      this.takeAlong(domain.l2, line);
      this.leaveDomain(domain, line);
    }
  }

  private leaveDomain(domain: Domain, line: number): void {
    if (this.isHeldIn(domain, line)) return;
    if (this.lines.modifiedBy(line) === domain.number) {
      this.lines.modify(line, NOBODY);
      this.writeBacks++;
    }
    const { group } = domain;
    if (this.machine.llc.inclusion !== 'exclusive' || group.domains.some((other) => this.isHeldIn(other, line))) return;
    if (!group.llc.touch(line, this.lines.placeOf(line))) this.fill(group.llc, line);
  }

  private removeFromL1s(domain: Domain, line: number): void {
    for (const l1 of domain.l1s) this.takeAlong(l1, line);
  }

  // -- stores

  /** How many other L1 units had the line, in their L1 or in an L2 that the core does not use. */
  private removeFromOthers(core: Core, line: number): number {
    let holders = 0;
    for (const domain of this.domains) {
      const wasInL2 = domain !== core.domain && this.takeAway(domain.l2, line);
      for (const l1 of domain.l1s) {
        const wasInL1 = l1 !== core.l1 && this.takeAway(l1, line);
        if (!wasInL1 && !wasInL2) continue;
        holders++;
        this.events.invalidated(
          line,
          wasInL1 ? l1.identity.unit : -1,
          wasInL2 ? domain.number : -1,
          wasInL1 ? l1.frame : domain.l2.frame,
        );
      }
    }
    for (const llc of this.levels[2]) if (llc !== core.domain.group.llc) this.takeAway(llc, line);
    return holders;
  }

  /** Whether it held the line. */
  private takeAway(cache: WholeCache, line: number): boolean {
    const held = cache.remove(line, this.lines.placeOf(line));
    if (held) this.events.removed(cache.identity.level, cache.identity.unit, cache.frame);
    return held;
  }

  // -- prefetches

  private prefetch(coreNumber: number, address: number, slot: number): void {
    const core = this.cores[coreNumber];
    const l1Unit = this.unitOf[0][coreNumber];
    this.prefetchIssued.fill(0);
    for (let level = 0; level <= Math.min(this.missedLevels, 1); level++) {
      for (const wanted of this.prefetchers[level].wanted(l1Unit, slot, address, this.missedLevels > level)) {
        if (Math.floor(wanted / this.linesOfPage) !== Math.floor(address / this.pageBytes)) continue;
        const line = this.lines.at(wanted);
        if (this.lines.modifiedBy(line) !== NOBODY && this.lines.modifiedBy(line) !== core.domain.number) continue;
        if (level === 0 ? this.prefetchIntoL1(core, line, address) : this.prefetchIntoL2(core.domain, line, address))
          this.prefetchIssued[level]++;
      }
    }
  }

  private prefetchIntoL1({ l1, domain }: Core, line: number, address: number): boolean {
    const place = this.lines.placeOf(line);
    const isExclusive = this.machine.l2.inclusion === 'exclusive';
    if (l1.holds(line, place)) return false;
    if (!domain.l2.touch(line, place)) {
      this.fetchForL2(domain, line, address, false);
      if (!isExclusive) this.leaveL2(domain, this.fill(domain.l2, line));
    } else if (isExclusive) this.moveUp(domain.l2, line);
    this.leaveL1(domain, this.fill(l1, line, true));
    return true;
  }

  private prefetchIntoL2(domain: Domain, line: number, address: number): boolean {
    const place = this.lines.placeOf(line);
    if (domain.l2.holds(line, place) || (this.machine.l2.inclusion === 'exclusive' && this.isInL1s(domain, line)))
      return false;
    this.fetchForL2(domain, line, address, false);
    this.leaveL2(domain, this.fill(domain.l2, line, true));
    return true;
  }

  private isInL1s(domain: Domain, line: number): boolean {
    return domain.l1s.some((l1) => l1.holds(line, this.lines.placeOf(line)));
  }

  private isHeldIn(domain: Domain, line: number): boolean {
    return domain.l2.holds(line, this.lines.placeOf(line)) || this.isInL1s(domain, line);
  }
}
