import type { Attributes } from "../types";
import { NO_ATTRIBUTES, NO_SCOPE } from "./attributes";
import { MalformedBody } from "./malformed-body";
import { bytesField, eachField, endOf, readResource, readScope, type WireReader, wireReader } from "./protobuf-values";

/** An item that could not be read, whose bounds are known so that reading continues after it. */
export class UnreadableItem {
  constructor(readonly reason: string) {}
}

type Owned = { resource: Attributes; scope: { name: string; version: string } };

/**
 * Reads the three levels that traces and logs share (request → resource → scope → items), with the same field numbers.
 * An unreadable item does not affect the others; a body with inconsistent outer levels throws MalformedBody.
 */
export function readProtobufBatch<Item extends Owned>(
  body: Uint8Array,
  readItem: (reader: WireReader, end: number) => Item,
): (Item | UnreadableItem)[] {
  const items: (Item | UnreadableItem)[] = [];
  const reader = wireReader(body);

  const readScopeItems = (limit: number) => {
    const end = endOf(reader, limit);
    const first = items.length;
    let scope = NO_SCOPE;
    eachField(reader, end, (tag) => {
      if (tag === bytesField(1)) scope = readScope(reader, end);
      else if (tag === bytesField(2)) items.push(readItemSafely(reader, endOf(reader, end), readItem));
      else return false;
      return true;
    });
    // On the wire, the scope may follow its items.
    for (let index = first; index < items.length; index++) assign(items[index], (item) => (item.scope = scope));
  };

  const readResourceItems = (limit: number) => {
    const end = endOf(reader, limit);
    const first = items.length;
    let resource = NO_ATTRIBUTES;
    eachField(reader, end, (tag) => {
      if (tag === bytesField(1)) resource = readResource(reader, end);
      else if (tag === bytesField(2)) readScopeItems(end);
      else return false;
      return true;
    });
    for (let index = first; index < items.length; index++) assign(items[index], (item) => (item.resource = resource));
  };

  try {
    eachField(reader, reader.len, (tag) => {
      if (tag !== bytesField(1)) return false;
      readResourceItems(reader.len);
      return true;
    });
  } catch (error) {
    throw new MalformedBody(`The body is not OTLP protobuf, or is cut short (${(error as Error).message}).`, {
      cause: error,
    });
  }
  return items;
}

function readItemSafely<Item>(
  reader: WireReader,
  end: number,
  readItem: (reader: WireReader, end: number) => Item,
): Item | UnreadableItem {
  try {
    return readItem(reader, end);
  } catch (error) {
    reader.pos = end;
    return new UnreadableItem(`could not be read (${(error as Error).message})`);
  }
}

function assign<Item extends Owned>(item: Item | UnreadableItem | undefined, set: (item: Item) => void): void {
  if (item && !(item instanceof UnreadableItem)) set(item);
}
