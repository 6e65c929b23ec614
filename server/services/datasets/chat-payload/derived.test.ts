import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { parseExactJson } from "@/server/platform/json/exact-json";
import { contentHashOf, searchTextOf, tokenEstimateOf } from ".";
import type { ChatPayload } from "./schemas";
import { call, fullPayload, smallPayload } from "./testing";

/** Returns the same JSON with the fields of every object in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).reverse();
  return Object.fromEntries(fields.map(([key, inner]) => [key, reversed(inner)]));
};

const calling = (args: string): ChatPayload => {
  const payload = smallPayload();
  payload.expectedOutput.message.tool_calls = [
    { id: "a", type: "function", function: { name: "find_order", arguments: args } },
  ];
  return payload;
};

describe("the content hash", () => {
  test("is the SHA-256 of the canonical JSON", () => {
    expect(contentHashOf(smallPayload("a", "b"))).toBe(
      // echo -n '{"expectedOutput":{"message":{"content":"b","role":"assistant"},"type":"chat_message"},"input":{"messages":[{"content":"a","role":"user"}],"type":"chat"}}' | sha256sum
      "c79d1028ee62114d126a6fa804d6462a4c7afa14229aa5219392d4439ea21884",
    );
  });

  test("is computed the same way for a payload with every field, with and without tools", () => {
    const payload = fullPayload();
    const { tools: _, ...toolless } = payload.input;
    for (const one of [payload, { ...payload, input: toolless }]) {
      expect(contentHashOf(one)).toBe(createHash("sha256").update(canonicalJson(one)).digest("hex"));
    }
  });

  test("depends on content, not on field order or undefined fields", () => {
    const hash = contentHashOf(fullPayload());
    expect(contentHashOf(reversed(fullPayload()) as ChatPayload)).toBe(hash);
    expect(contentHashOf(reversed(smallPayload()) as ChatPayload)).toBe(contentHashOf(smallPayload()));
    expect(contentHashOf({ ...smallPayload(), rejectedOutput: undefined })).toBe(contentHashOf(smallPayload()));
    const { rejectedOutput: _, ...unpaired } = fullPayload();
    expect(contentHashOf(unpaired)).not.toBe(hash);
  });
});

test("tools whose keys have another order or whose numbers are written differently have the same hash", () => {
  const [one, other] = [
    '[{"type":"function","function":{"name":"f","parameters":{"z":1.0,"a":1e3}}}]',
    '[{"function":{"parameters":{"a":1000,"z":1},"name":"f"},"type":"function"}]',
  ].map((tools) => {
    const payload = fullPayload();
    return { ...payload, input: { ...payload.input, tools: parseExactJson(tools) } } as ChatPayload;
  });
  expect(contentHashOf(one!)).toBe(contentHashOf(other!));
});

describe("the search text", () => {
  test("has the answers, the messages, and the called tools with their arguments", () => {
    const payload = fullPayload();
    payload.expectedOutput.message.tool_calls = [
      call("c", "refund_order", { why: ["lost\nparcel", 12, { by: "café" }] }),
    ];
    expect(searchTextOf(payload).split("\n")).toEqual([
      "4712 is lost.",
      ...["refund_order", "why", "lost", "parcel", "12", "by", "café"],
      "You help customers.",
      "Be brief.",
      "Where are orders 4711 and 4712?",
      ...["get_order", "orderId", "4711", "get_order", "orderId", "4711"],
      '{"state":"lost"}',
      "No idea.",
    ]);
  });

  test("is at most 200 kB and ends with a whole character", () => {
    const text = searchTextOf(smallPayload("Where?", `${"x".repeat(199_999)}😀${"é".repeat(300_000)}`));
    expect(text).toBe("x".repeat(199_999));
    expect(Buffer.byteLength(searchTextOf(smallPayload("q", "é".repeat(400_000))))).toBe(200_000);
    expect(searchTextOf(smallPayload("😀".repeat(60_000), "Yes")).length).toBeLessThan(120_000);
  });

  test("is storable, whatever the arguments decode to and however deep they are", () => {
    expect(searchTextOf(calling('{"a":"x\\u0000y","b":"\\ud800"}'))).toContain("a\nx y\nb\n\ufffd");
    expect(searchTextOf(calling(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`))).toContain("\n1");
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.string({ unit }), (given) => {
        const text = searchTextOf(calling(JSON.stringify({ [given]: given })));
        expect(text.includes("\0")).toBe(false);
        expect(text.isWellFormed()).toBe(true);
      }),
    );
  });
});

test("the token estimate counts the tools, the input and the expected answer", () => {
  expect(tokenEstimateOf(smallPayload("12345678", "1234"))).toBe(3 + 2 * 4);
  const { rejectedOutput: _, ...unpaired } = fullPayload();
  expect(tokenEstimateOf(fullPayload())).toBe(tokenEstimateOf(unpaired));
  const { tools: __, ...toolless } = unpaired.input;
  expect(tokenEstimateOf({ ...unpaired, input: toolless })).toBeLessThan(tokenEstimateOf(unpaired));
  expect(tokenEstimateOf(calling('{"a":"1234"}'))).toBe(Math.ceil((20 + 20 + 10 + 12) / 4) + 2 * 4);
});
