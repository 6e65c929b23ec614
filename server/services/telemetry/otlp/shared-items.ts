import type { PlainMessage } from "./messages/plain-message";
import type { Attributes, AttributeValue } from "./types";

/** An item's text is held twice: as JSON, and in the messages read from it. */
const COPIES = 2;
/** Objects and map entries of an item, excluding its text. */
const BYTES_PER_ITEM = 1_000;

const BEYOND_LATIN_1 = /[^\0-\xff]/;
/** Returns the bytes that a string takes: V8 stores one byte per character if all are Latin-1, otherwise two. */
const heapBytes = (text: string) => (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;

/** What one list item contains, independent of the list's location; `null` if it is not JSON. */
export type ItemReading = { isMessage: boolean; messages: readonly PlainMessage[] } | null;

type Members = readonly (readonly [name: string, value: AttributeValue])[];

/** The JSON text of an item that occurs in lists of several spans, read once for all of them. */
export class SharedItem {
  private readonly readings = new Map<string, ItemReading>();
  /** Estimated memory of the text and of what is read from it, in bytes. */
  readonly bytes: number;

  private known: Members | undefined;

  constructor(readonly text: string) {
    this.bytes = COPIES * heapBytes(text) + BYTES_PER_ITEM;
  }

  /** The attributes of an item of a flattened list: their names within the item, with their values. */
  get members(): Members {
    this.known ??= JSON.parse(this.text) as Members;
    return this.known;
  }

  /** Returns the cached result of `read`; `as` identifies everything else that the result depends on. */
  reading(as: string, read: (item: SharedItem) => ItemReading): ItemReading {
    let reading = this.readings.get(as);
    if (reading === undefined) {
      reading = read(this);
      this.readings.set(as, reading);
    }
    return reading;
  }
}

/** A list of shared items: the value of an attribute, its JSON text, or (under their prefix) attributes flattened by index. */
export type SharedList = { items: readonly SharedItem[]; isText: boolean };

const lists = new WeakMap<Attributes, Map<string, SharedList>>();
const shared = new WeakMap<Attributes, SharedItem[]>();

/** Records that an attribute is a list of shared items. Readers that do not check for this see only its value. */
export function noteSharedList(attributes: Attributes, name: string, list: SharedList): void {
  const known = lists.get(attributes);
  if (known) known.set(name, list);
  else lists.set(attributes, new Map([[name, list]]));
}

/** Records that attributes were built from shared items, whatever their values are. */
export function noteSharedItems(attributes: Attributes, items: readonly SharedItem[]): void {
  const known = shared.get(attributes) ?? [];
  for (const item of items) known.push(item);
  shared.set(attributes, known);
}

/**
 * Returns the shared items that attributes were built from. While they are referenced, they need not be loaded and read again.
 */
export const sharedItemsOf = (attributes: Attributes): readonly SharedItem[] => shared.get(attributes) ?? [];

export const sharedListOf = (attributes: Attributes, name: string): SharedList | undefined =>
  lists.get(attributes)?.get(name);
