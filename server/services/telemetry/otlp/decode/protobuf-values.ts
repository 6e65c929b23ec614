import protobuf from "protobufjs/minimal.js";
import type { Attributes, AttributeValue } from "../types";
import { type MutableAttributes, NO_SCOPE, noAttributes } from "./attributes";
import { cleanText } from "./clean-text";
import { MAX_VALUE_DEPTH, TOO_DEEP } from "./limits";
import { microsFromHalves } from "./times";

/*
 * Reads OTLP messages with protobufjs's Reader directly into our records. Cases match whole tags (field number and wire type
 * together), so that a field of another wire type, as when logs are posted to the traces path, is skipped as unknown instead
 * of being misread.
 */

const BYTES = 2;
const VARINT = 0;
const FIXED64 = 1;
export const bytesField = (field: number) => (field << 3) | BYTES;
export const varintField = (field: number) => (field << 3) | VARINT;
export const fixed64Field = (field: number) => (field << 3) | FIXED64;

export type WireReader = protobuf.Reader & { buf: Buffer };

export function wireReader(body: Uint8Array): WireReader {
  const buffer = Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return protobuf.Reader.create(buffer) as WireReader;
}

/** Reads the length of a nested message and returns its end position; throws if that is past `limit`. */
export function endOf(reader: WireReader, limit: number): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > limit) throw new RangeError(`a field of ${length} bytes reaches past the end of its message`);
  return end;
}

/** Calls `field` with the tag of each field up to `end`. A field for which it returns `false` is skipped. */
export function eachField(reader: WireReader, end: number, field: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!field(tag)) reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new RangeError("a field reaches past the end of its message");
}

export function readText(reader: WireReader): string {
  return cleanText(reader.string(), true);
}

export function readMicros(reader: WireReader): number {
  const low = reader.fixed32();
  return microsFromHalves(low, reader.fixed32());
}

const KEY = bytesField(1);
const VALUE = bytesField(2);

/** Reads one KeyValue into `attributes`. */
export function readKeyValue(reader: WireReader, limit: number, attributes: MutableAttributes, depth: number): void {
  const end = endOf(reader, limit);
  let key = "";
  let value: AttributeValue = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === KEY) key = readText(reader);
    else if (tag === VALUE) value = readAnyValue(reader, end, depth);
    else reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new RangeError("a field reaches past the end of its attribute");
  attributes[key] = value;
}

const STRING_VALUE = bytesField(1);
const BOOL_VALUE = varintField(2);
const INT_VALUE = varintField(3);
const DOUBLE_VALUE = fixed64Field(4);
const ARRAY_VALUE = bytesField(5);
const KEY_VALUE_LIST = bytesField(6);
const BYTES_VALUE = bytesField(7);

export function readAnyValue(reader: WireReader, limit: number, depth = 0): AttributeValue {
  const end = endOf(reader, limit);
  if (depth > MAX_VALUE_DEPTH) {
    reader.pos = end;
    return TOO_DEEP;
  }
  let value: AttributeValue = null;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === STRING_VALUE) value = readText(reader);
    else if (tag === INT_VALUE) value = wholeNumber(reader.int64() as unknown as Int64);
    else if (tag === BOOL_VALUE) value = reader.bool();
    else if (tag === DOUBLE_VALUE) value = finite(reader.double());
    else if (tag === ARRAY_VALUE) value = readArray(reader, end, depth);
    else if (tag === KEY_VALUE_LIST) value = readKeyValueList(reader, end, depth);
    else if (tag === BYTES_VALUE) value = Buffer.from(reader.bytes()).toString("base64");
    else reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new RangeError("a field reaches past the end of its value");
  return value;
}

function readArray(reader: WireReader, limit: number, depth: number): AttributeValue[] {
  const end = endOf(reader, limit);
  const values: AttributeValue[] = [];
  eachField(reader, end, (tag) => {
    if (tag !== bytesField(1)) return false;
    values.push(readAnyValue(reader, end, depth + 1));
    return true;
  });
  return values;
}

function readKeyValueList(reader: WireReader, limit: number, depth: number): MutableAttributes {
  const end = endOf(reader, limit);
  const values = noAttributes();
  eachField(reader, end, (tag) => {
    if (tag !== bytesField(1)) return false;
    readKeyValue(reader, end, values, depth + 1);
    return true;
  });
  return values;
}

export function readResource(reader: WireReader, limit: number): Attributes {
  return readKeyValueList(reader, limit, 0);
}

export function readScope(reader: WireReader, limit: number): { name: string; version: string } {
  const end = endOf(reader, limit);
  let { name, version } = NO_SCOPE;
  eachField(reader, end, (tag) => {
    if (tag === bytesField(1)) name = readText(reader);
    else if (tag === bytesField(2)) version = readText(reader);
    else return false;
    return true;
  });
  return { name, version };
}

/** The reader returns its own 64-bit class, or a number if that class is not installed. */
type Int64 = number | { toNumber(): number; toString(): string };

/** Returns a 64-bit integer as a number, or as text if a number cannot represent it exactly. */
function wholeNumber(integer: Int64): number | string {
  const value = typeof integer === "number" ? integer : integer.toNumber();
  return Number.isSafeInteger(value) ? value : integer.toString();
}

/** JSON has no NaN or infinity: they are stored as text. */
function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
