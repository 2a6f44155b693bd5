// Renamed memory again, naively: every generation in a list, and every place tried. From docs/replay/order.md alone.

interface Generation {
  readonly key: bigint;
  readonly begin: number;
  readonly end: number;
  readonly shift: number;
}

const STRIDE = 315 * 2 ** 31;
const FIRST = (Math.floor(2 ** 52 / STRIDE) + 1) * STRIDE;

export class NaiveMemory {
  private generations: Generation[] = [];
  renamed = 0;

  /** The living generation at the address with the largest key up to `key`; of equal ones the last. */
  at(address: number, key: bigint): Generation | undefined {
    return this.generations
      .filter((one) => one.begin <= address && address < one.end && one.key <= key)
      .reduce<Generation | undefined>((best, one) => (best && best.key > one.key ? best : one), undefined);
  }

  place(address: number, key: bigint): number {
    return address + (this.at(address, key)?.shift ?? 0);
  }

  rename(begin: number, end: number, key: bigint): void {
    const size = end - begin;
    for (let place = FIRST + (begin % STRIDE); ; place += STRIDE) {
      const isTaken = this.generations.some(
        (one) => one.shift !== 0 && one.begin + one.shift < place + size && place < one.end + one.shift,
      );
      if (isTaken) continue;
      this.generations.push({ key, begin, end, shift: place - begin });
      this.renamed++;
      return;
    }
  }

  keep(begin: number, end: number, key: bigint): void {
    if (!this.generations.some((one) => one.begin < end && begin < one.end)) return;
    const around = this.at(begin, key);
    if (begin < end && (!around || around.end < end)) this.generations.push({ key, begin, end, shift: 0 });
  }

  end(address: number, key: bigint): void {
    const ended = this.at(address, key);
    if (ended?.begin === address) this.generations = this.generations.filter((one) => one !== ended);
  }
}
