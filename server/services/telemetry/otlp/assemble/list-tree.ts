/** A list of numbers, as a node of a tree in which lists share common prefixes. 0 is the empty list. */
export type ListId = number;
export const EMPTY_LIST: ListId = 0;

const FIRST_CAPACITY = 32;
const FREE = 0; // the empty list extends no other

/**
 * A prefix tree of lists that mostly repeat and extend each other, at about 24 bytes per distinct list. Edges are found by a
 * hash table in a typed array: a `Map` takes several times the memory.
 */
export class ListTree {
  private parents = new Int32Array(FIRST_CAPACITY);
  private lasts = new Int32Array(FIRST_CAPACITY);
  /** The list that each was last extended to. */
  private extensions = new Int32Array(FIRST_CAPACITY);
  private table = new Int32Array(2 * FIRST_CAPACITY);
  private count = 1;

  /** Number of lists including the empty one; ids are smaller. */
  get size(): number {
    return this.count;
  }

  get bytes(): number {
    return this.parents.byteLength + this.lasts.byteLength + this.extensions.byteLength + this.table.byteLength;
  }

  parentOf(list: ListId): ListId {
    return this.parents[list] ?? EMPTY_LIST;
  }

  lastOf(list: ListId): number {
    return this.lasts[list] ?? -1;
  }

  /**
   * Returns the list that this one was last extended to, which is likely to be its next extension; `EMPTY_LIST` if there is
   * none.
   */
  likelyExtension(list: ListId): ListId {
    return this.extensions[list] ?? EMPTY_LIST;
  }

  /** Returns the id of `list` followed by `item`, adding it if new. */
  extend(list: ListId, item: number): ListId {
    const next = this.find(list, item);
    this.extensions[list] = next;
    return next;
  }

  private find(list: ListId, item: number): ListId {
    let slot = this.slotOf(list, item);
    const known = this.table[slot] ?? FREE;
    if (known !== FREE) return known;
    if (this.count === this.parents.length) {
      this.grow();
      slot = this.slotOf(list, item);
    }
    const next = this.count++;
    this.parents[next] = list;
    this.lasts[next] = item;
    this.table[slot] = next;
    return next;
  }

  /** Returns the slot of the edge, or the free slot where it belongs. The table is never more than half full. */
  private slotOf(list: ListId, item: number): number {
    const mask = this.table.length - 1;
    let slot = (Math.imul(list, 0x9e3779b1) ^ Math.imul(item + 1, 0x85ebca6b)) & mask;
    for (;;) {
      const there = this.table[slot] ?? FREE;
      if (there === FREE || (this.parents[there] === list && this.lasts[there] === item)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const capacity = 2 * this.parents.length;
    const grown = (numbers: Int32Array) => {
      const more = new Int32Array(capacity);
      more.set(numbers);
      return more;
    };
    this.parents = grown(this.parents);
    this.lasts = grown(this.lasts);
    this.extensions = grown(this.extensions);
    this.table = new Int32Array(2 * capacity);
    for (let list = 1; list < this.count; list++) {
      this.table[this.slotOf(this.parentOf(list), this.lastOf(list))] = list;
    }
  }
}
