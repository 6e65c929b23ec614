/** Collects distinct texts, of which the first `max` in sort order remain, independent of the order in which they are added. */
export class SmallestTexts {
  private readonly found = new Set<string>();
  /** The last in sort order once the set is full: later ones are skipped. */
  private last: string | null = null;

  constructor(private readonly max: number) {}

  add(text: string): void {
    if (this.last !== null && text >= this.last) return;
    this.found.add(text);
    if (this.found.size > this.max && this.last !== null) this.found.delete(this.last);
    if (this.found.size < this.max) return;
    let last = text;
    for (const one of this.found) if (one > last) last = one;
    this.last = last;
  }

  sorted(): string[] {
    return [...this.found].sort();
  }
}
