import { Reader } from "protobufjs/minimal.js";
import type { Encoding } from "./decode-batch";
import { MalformedBody } from "./malformed-body";

/** The fields that lead to a metric's points, in OTLP's protobuf and its JSON. */
const PATH: readonly { numbers: readonly number[]; names: readonly string[] }[] = [
  { numbers: [1], names: ["resourceMetrics"] },
  { numbers: [2], names: ["scopeMetrics"] },
  { numbers: [2], names: ["metrics"] },
  {
    numbers: [5, 7, 9, 10, 11],
    names: ["gauge", "sum", "histogram", "exponentialHistogram", "summary"],
  },
  { numbers: [1], names: ["dataPoints"] },
];
const POINTS = PATH.length - 1;
const LENGTH_DELIMITED = 2;

function inProtobuf(reader: Reader, end: number, depth: number): number {
  let count = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!PATH[depth]?.numbers.includes(tag >>> 3) || (tag & 7) !== LENGTH_DELIMITED) {
      reader.skipType(tag & 7);
      continue;
    }
    const until = reader.uint32() + reader.pos;
    if (until > end) throw new RangeError("A field ends after its message.");
    if (depth === POINTS) count++;
    else count += inProtobuf(reader, until, depth + 1);
    reader.pos = until;
  }
  return count;
}

function inJson(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  for (const name of PATH[depth]?.names ?? []) {
    const inner = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    const items = Array.isArray(inner) ? inner : [inner];
    if (depth === POINTS) count += Array.isArray(inner) ? inner.length : 0;
    else for (const item of items) count += inJson(item, depth + 1);
  }
  return count;
}

/** Returns how many data points a batch of metrics has. Throws `MalformedBody` if it is no batch. */
export function countDataPoints(body: Uint8Array, encoding: Encoding): number {
  try {
    if (encoding === "protobuf") return inProtobuf(Reader.create(body), body.byteLength, 0);
    const batch: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (typeof batch !== "object" || batch === null || Array.isArray(batch)) throw new Error("It is not an object.");
    return inJson(batch, 0);
  } catch {
    throw new MalformedBody(`The body is not a batch of metrics in ${encoding === "json" ? "JSON" : "protobuf"}.`);
  }
}
