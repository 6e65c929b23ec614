import type { PlainMessage } from "./messages/plain-message";
import type { Attributes, AttributeValue } from "./types";

/** The text, and the texts of its messages. */
const COPIES = 2;
/** Objects and map entries of an item, without its texts. */
const BYTES_PER_ITEM = 1_000;

const BEYOND_LATIN_1 = /[^\0-\xff]/;
/** Memory that a text takes: V8 stores it with a byte a character if all are of Latin-1, otherwise with two. */
const heapBytes = (text: string) => (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;

/** What one item of a list says, wherever the list is; `null` if it is not JSON. */
export type ItemReading = { isMessage: boolean; messages: readonly PlainMessage[] } | null;

type Members = readonly (readonly [name: string, value: AttributeValue])[];

/** The JSON of an item that lists of several spans have, read once for all of them. */
export class SharedItem {
  private readonly readings = new Map<string, ItemReading>();
  /** Estimate of the memory that the text takes with what is read from it. */
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

  /** Returns what `read` makes of the text; `as` names what else that depends on. */
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

/** Notes that an attribute is a list of shared items. Readers that do not ask see its value only. */
export function noteSharedList(attributes: Attributes, name: string, list: SharedList): void {
  const known = lists.get(attributes);
  if (known) known.set(name, list);
  else lists.set(attributes, new Map([[name, list]]));
}

/** Notes that attributes were made from shared items, whatever their values are. */
export function noteSharedItems(attributes: Attributes, items: readonly SharedItem[]): void {
  const known = shared.get(attributes) ?? [];
  for (const item of items) known.push(item);
  shared.set(attributes, known);
}

/** The shared items that attributes were made from; whoever holds them keeps others from loading and reading them again. */
export const sharedItemsOf = (attributes: Attributes): readonly SharedItem[] => shared.get(attributes) ?? [];

export const sharedListOf = (attributes: Attributes, name: string): SharedList | undefined =>
  lists.get(attributes)?.get(name);
