import type { Decoded, Rejection } from "../types";
import { InexactNumber } from "./inexact-number";
import { eachJsonItem, type JsonOwner, type Levels } from "./json-batch";
import { isObject, type JsonObject } from "./json-values";
import { readProtobufBatch, UnreadableItem } from "./protobuf-batch";
import type { WireReader } from "./protobuf-values";

export type Encoding = "json" | "protobuf";

/** The differences between traces and logs. */
export type Signal<Raw extends JsonOwner & { spanId: string | null }, Item> = {
  levels: Levels;
  fromProtobuf: (reader: WireReader, end: number) => Raw;
  fromJson: (item: JsonObject, owner: JsonOwner) => Raw;
  /** Returns the item to store, or the reason for its rejection. `index` is its position in the batch. */
  check: (raw: Raw, nowUs: number, index: number) => Item | string;
};

/** Decodes one request. Each item is accepted or rejected with a reason; only an unreadable body throws. */
export function decodeBatch<Raw extends JsonOwner & { spanId: string | null }, Item>(
  signal: Signal<Raw, Item>,
  body: Uint8Array,
  encoding: Encoding,
  nowMs: number,
): Decoded<Item> {
  if (encoding === "protobuf") {
    return decodeItems(signal, nowMs, (take) => {
      for (const raw of readProtobufBatch(body, signal.fromProtobuf)) take(raw);
    });
  }
  const decodeJson = (exact: boolean) =>
    decodeItems(signal, nowMs, (take) =>
      eachJsonItem(body, signal.levels, exact, (item, owner) =>
        take(isObject(item) ? signal.fromJson(item, owner) : new UnreadableItem("is not an object")),
      ),
    );
  try {
    return decodeJson(false);
  } catch (error) {
    if (error instanceof InexactNumber) return decodeJson(true);
    throw error;
  }
}

function decodeItems<Raw extends JsonOwner & { spanId: string | null }, Item>(
  signal: Signal<Raw, Item>,
  nowMs: number,
  readInto: (take: (raw: Raw | UnreadableItem) => void) => void,
): Decoded<Item> {
  const items: Item[] = [];
  const rejections: Rejection[] = [];
  const nowUs = nowMs * 1000;
  let received = 0;

  const take = (raw: Raw | UnreadableItem) => {
    const index = received++;
    if (raw instanceof UnreadableItem) {
      rejections.push({ index, spanId: null, reason: raw.reason });
      return;
    }
    const checked = signal.check(raw, nowUs, index);
    if (typeof checked === "string") rejections.push({ index, spanId: raw.spanId, reason: checked });
    else items.push(checked);
  };

  readInto(take);
  return { items, received, rejections };
}
