// Stage: replay. How often each combination of numbers was met.

export class KeyedCounts<Key extends readonly number[]> {
  private readonly counts = new Map<string, { readonly key: Key; count: number }>();

  add(...key: Key): void {
    let name = '';
    for (const part of key) name += `${part} `;
    const known = this.counts.get(name);
    if (known === undefined) this.counts.set(name, { key, count: 1 });
    else known.count++;
  }

  restart(): void {
    this.counts.clear();
  }

  /** In the order in which they were first met. */
  rows(): { readonly key: Key; readonly count: number }[] {
    return [...this.counts.values()];
  }
}
