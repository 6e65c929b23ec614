import { randomBytes } from "node:crypto";
import { attribute } from "../product/known-load";
import type { TestProject } from "./project";

/** A message in a shortened form of OpenAI's format. */
export type Said = {
  role: "system" | "user" | "assistant" | "tool";
  text?: string;
  calls?: readonly { id: string; name: string; args: object }[];
  /** The call that a tool's message answers. */
  of?: string;
};
export type Spoken = {
  id: string;
  said: readonly Said[];
  /** Unix ms. */
  startedAt: number;
  model?: string;
  user?: string;
  finishReason?: string;
  /** The error of the last model call. */
  error?: { type: string; message: string };
};

const hex = (bytes: number) => randomBytes(bytes).toString("hex");

const partsOf = ({ role, text, calls = [], of }: Said) =>
  role === "tool"
    ? [{ type: "tool_call_response", id: of, response: text }]
    : [
        ...(text ? [{ type: "text", content: text }] : []),
        ...calls.map(({ id, name, args }) => ({ type: "tool_call", id, name, arguments: args })),
      ];
const messageOf = (said: Said) => ({ role: said.role, parts: partsOf(said) });

/** Returns a conversation as an instrumented agent sends it: one span per model call, with everything said before it. */
function spansOf({ id, said, startedAt, model = "gpt-4o", user, finishReason = "stop", error }: Spoken) {
  const traceId = hex(16);
  const answers = said.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  const calls = error ? [...answers, said.length] : answers;
  return calls.map((index, n) => {
    const at = startedAt + n * 4_000;
    const output = said[index];
    const isLast = n === calls.length - 1;
    return {
      traceId,
      spanId: hex(8),
      name: `chat ${model}`,
      kind: 3,
      startTimeUnixNano: `${at}000000`,
      endTimeUnixNano: `${at + 1_500}000000`,
      ...(error && isLast ? { status: { code: 2, message: error.message } } : {}),
      attributes: [
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.conversation.id", id),
        attribute("gen_ai.provider.name", "openai"),
        attribute("gen_ai.request.model", model),
        attribute("gen_ai.response.model", model),
        attribute("gen_ai.usage.input_tokens", 400 + 50 * index),
        attribute("gen_ai.usage.output_tokens", 60),
        ...(user ? [attribute("user.id", user)] : []),
        attribute("gen_ai.input.messages", JSON.stringify(said.slice(0, index).map(messageOf))),
        ...(output ? [attribute("gen_ai.output.messages", JSON.stringify([messageOf(output)]))] : []),
        ...(error && isLast ? [attribute("error.type", error.type)] : []),
        {
          key: "gen_ai.response.finish_reasons",
          value: { arrayValue: { values: [{ stringValue: isLast ? finishReason : "stop" }] } },
        },
      ],
    };
  });
}

/** Sends conversations in one batch; throws unless it is accepted. */
export async function send(project: Pick<TestProject, "url" | "secret">, conversations: readonly Spoken[]) {
  const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [attribute("service.name", "shop")] },
          scopeSpans: [{ scope: { name: "shop" }, spans: conversations.flatMap(spansOf) }],
        },
      ],
    }),
  });
  if (!reply.ok) throw new Error(`Telemetry was refused: ${reply.status} ${await reply.text()}`);
}
