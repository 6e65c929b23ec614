import { randomBytes } from "node:crypto";
import { Writer } from "protobufjs/minimal.js";

type Shape = { spans: number; spansPerTrace: number; bytesPerSpan: number; traceId?: Uint8Array };

const WORDS = "order refund address delivery parcel invoice customer ticket return payment voucher status".split(" ");

/** An OTLP/protobuf request of chat and tool spans in the current GenAI convention, about `bytesPerSpan` each. */
export function protobufBatch({ spans, spansPerTrace, bytesPerSpan, traceId: given }: Shape): Uint8Array {
  const writer = Writer.create();
  writer.uint32(10).fork(); // resource_spans
  writer.uint32(10).fork();
  attribute(writer, 10, "service.name", "bench");
  writer.ldelim();
  writer.uint32(18).fork(); // scope_spans
  writer.uint32(10).fork().uint32(10).string("bench").ldelim();
  let traceId: Uint8Array = given ?? randomBytes(16);
  let root: Uint8Array = randomBytes(8);
  const start = BigInt(Date.now() - 60_000) * 1_000_000n;
  for (let i = 0; i < spans; i++) {
    const place = i % spansPerTrace;
    if (place === 0 && !given) traceId = randomBytes(16);
    const spanId = randomBytes(8);
    if (place === 0) root = spanId;
    writer.uint32(18).fork();
    writer.uint32(10).bytes(traceId).uint32(18).bytes(spanId);
    if (place > 0) writer.uint32(34).bytes(root);
    const at = start + BigInt(i) * 1_000_000n;
    writer.uint32(42).string(place === 0 ? "agent" : place % 3 === 2 ? "execute_tool get_order" : "chat gpt-4o");
    writer.uint32(48).int32(1);
    fixed64(writer, 57, at);
    fixed64(writer, 65, at + 900_000n);
    for (const [key, value] of attributesOf(place, bytesPerSpan)) attribute(writer, 74, key, value);
    writer.ldelim();
  }
  writer.ldelim().ldelim();
  return writer.finish();
}

function attributesOf(place: number, bytes: number): [string, string | number][] {
  if (place === 0)
    return [
      ["gen_ai.operation.name", "invoke_agent"],
      ["gen_ai.agent.name", "support"],
      ["note", text(bytes - 150)],
    ];
  if (place % 3 === 2) {
    return [
      ["gen_ai.operation.name", "execute_tool"],
      ["gen_ai.tool.name", "get_order"],
      ["gen_ai.tool.call.id", `call_${place}`],
      ["gen_ai.tool.call.arguments", '{"order_id":"4821"}'],
      ["gen_ai.tool.call.result", text(bytes - 320)],
    ];
  }
  const asked = Math.floor((bytes - 480) * 0.7);
  return [
    ["gen_ai.operation.name", "chat"],
    ["gen_ai.provider.name", "openai"],
    ["gen_ai.request.model", "gpt-4o"],
    ["gen_ai.response.model", "gpt-4o-2024-08-06"],
    ["gen_ai.usage.input_tokens", 420 + place],
    ["gen_ai.usage.output_tokens", 80],
    ["gen_ai.input.messages", JSON.stringify([{ role: "user", parts: [{ type: "text", content: text(asked) }] }])],
    [
      "gen_ai.output.messages",
      JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: text(bytes - 480 - asked) }] }]),
    ],
  ];
}

function text(length: number) {
  let made = "";
  while (made.length < length) made += `${WORDS[Math.floor(Math.random() * WORDS.length)]} `;
  return made.slice(0, Math.max(0, length));
}

function attribute(writer: Writer, tag: number, key: string, value: string | number) {
  writer.uint32(tag).fork().uint32(10).string(key).uint32(18).fork();
  if (typeof value === "string") writer.uint32(10).string(value);
  else writer.uint32(24).int64(value);
  writer.ldelim().ldelim();
}

function fixed64(writer: Writer, tag: number, value: bigint) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  writer.uint32(tag).fixed64(bytes.readUInt32LE(0) + bytes.readUInt32LE(4) * 2 ** 32);
}
