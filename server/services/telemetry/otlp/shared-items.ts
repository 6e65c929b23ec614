import type { PlainMessage } from "./messages/plain-message";
import type { Attributes } from "./types";

/** What one item of a list says, wherever the list is; `null` if it is not JSON. */
export type ItemReading = { isMessage: boolean; messages: readonly PlainMessage[] } | null;

/** The JSON of an item that lists of several spans have, read once for all of them. */
export class SharedItem {
  private readonly readings = new Map<string, ItemReading>();

  constructor(readonly text: string) {}

  /** Returns what `read` makes of the text; `as` names what else that depends on. */
  reading(as: string, read: (text: string) => ItemReading): ItemReading {
    let reading = this.readings.get(as);
    if (reading === undefined) {
      reading = read(this.text);
      this.readings.set(as, reading);
    }
    return reading;
  }
}

/** A list of shared items: the value of an attribute, or its JSON text. */
export type SharedList = { items: readonly SharedItem[]; isText: boolean };

const lists = new WeakMap<Attributes, Map<string, SharedList>>();

/** Notes that an attribute is a list of shared items. Readers that do not ask see its value only. */
export function noteSharedList(attributes: Attributes, name: string, list: SharedList): void {
  const known = lists.get(attributes);
  if (known) known.set(name, list);
  else lists.set(attributes, new Map([[name, list]]));
}

export const sharedListOf = (attributes: Attributes, name: string): SharedList | undefined =>
  lists.get(attributes)?.get(name);
