import { randomBytes } from "node:crypto";
import { expect } from "@playwright/test";
import { attribute } from "../product/known-load";
import type { TestProject } from "./project";

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const text = (content: string) => [{ type: "text", content }];

export type Talk = {
  id: string;
  model: string;
  ask: string;
  answer: string;
  /** A tool that fails before the response; `true` is one called get_order. */
  failingTool?: boolean | string;
  turns?: number;
  /** The application's own id of its user; `null` if it names none. */
  user?: string | null;
  labels?: readonly string[];
  /** Further usage of each model call besides tokens, by name. */
  used?: Readonly<Record<string, number>>;
};

/** One conversation as an instrumented agent sends it: model calls, perhaps a tool that fails, under a root span. */
function spansOf(
  { id, model, ask, answer, failingTool = false, turns = 1, user = `user-of-${id}`, labels = [], used = {} }: Talk,
  startedAt: number,
) {
  const traceId = hex(16);
  const root = hex(8);
  const common = [attribute("gen_ai.conversation.id", id), ...(user === null ? [] : [attribute("user.id", user)])];
  let now = startedAt;
  const span = (name: string, attributes: object[], more: object = {}) => {
    const start = now;
    now += 400;
    return {
      traceId,
      spanId: hex(8),
      parentSpanId: root,
      name,
      kind: 3,
      startTimeUnixNano: `${start}000000`,
      endTimeUnixNano: `${now}000000`,
      attributes: [...common, ...attributes],
      ...more,
    };
  };
  const history: object[] = [{ role: "user", parts: text(ask) }];
  const call = (output: object) => {
    const made = span(`chat ${model}`, [
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.provider.name", model.startsWith("gpt") ? "openai" : "acme"),
      attribute("gen_ai.request.model", model),
      attribute("gen_ai.response.model", model),
      attribute("gen_ai.usage.input_tokens", 1200),
      attribute("gen_ai.usage.output_tokens", 80),
      attribute("gen_ai.input.messages", JSON.stringify(history)),
      attribute("gen_ai.output.messages", JSON.stringify([output])),
      attribute("shop.shard", "eu-3"),
      ...Object.entries(used).map(([name, count]) => attribute(`gen_ai.usage.${name}`, count)),
    ]);
    history.push(output);
    return made;
  };
  const spans: object[] = [];
  if (failingTool) {
    const name = failingTool === true ? "get_order" : failingTool;
    const error = failingTool === true ? "order not found" : "the record is locked";
    const tool = { type: "tool_call", id: "call_1", name, arguments: { order_id: "1042" } };
    spans.push(call({ role: "assistant", parts: [tool] }));
    spans.push(
      span(
        `execute_tool ${name}`,
        [
          attribute("gen_ai.operation.name", "execute_tool"),
          attribute("gen_ai.tool.name", name),
          attribute("gen_ai.tool.call.id", "call_1"),
          attribute("gen_ai.tool.call.arguments", '{"order_id":"1042"}'),
          attribute("gen_ai.tool.call.result", `Error: ${error}`),
        ],
        { status: { code: 2, message: error } },
      ),
    );
    history.push({
      role: "tool",
      parts: [{ type: "tool_call_response", id: "call_1", response: `Error: ${error}` }],
    });
  }
  for (let turn = 0; turn < turns; turn++) {
    if (turn > 0) history.push({ role: "user", parts: text(`And number ${turn}?`) });
    spans.push(call({ role: "assistant", parts: text(turn === 0 ? answer : `Number ${turn} is on its way.`) }));
  }
  const tags = labels.length > 0 ? [attribute("tag.tags", JSON.stringify(labels))] : [];
  spans.unshift({
    ...span("invoke_agent support", [attribute("gen_ai.operation.name", "invoke_agent"), ...tags]),
    spanId: root,
    parentSpanId: "",
    startTimeUnixNano: `${startedAt}000000`,
  });
  return spans;
}

type Options = {
  /** The number of existing conversations. */
  before?: number;
  /** Whether to wait for the Rules too, which run once a conversation has been inactive for a while. */
  diagnosed?: boolean;
};

/** Sends conversations and waits until they are readable, and until the Rules have read them all. */
export async function seed(
  project: TestProject,
  talks: readonly Talk[],
  { before = 0, diagnosed = true }: Options = {},
) {
  const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [attribute("service.name", "shop")] },
          scopeSpans: [
            {
              scope: { name: "shop", version: "1.0.0" },
              spans: talks.flatMap((talk, index) => spansOf(talk, Date.now() - (talks.length - index) * 3_600_000)),
            },
          ],
        },
      ],
    }),
  });
  expect(reply.status).toBe(200);
  const count = async (path: string, name: string) => ((await project.read(path))[name] as unknown as unknown[]).length;
  await expect
    .poll(() => count("conversations?limit=500", "conversations"), { timeout: 60_000 })
    .toBe(before + talks.length);
  if (!diagnosed) return;
  const { rules } = (await project.read("diagnostics/rules")) as unknown as { rules: { enabled: boolean }[] };
  const expected = (before + talks.length) * rules.filter(({ enabled }) => enabled).length;
  const finished = async () => {
    const { runs } = (await project.read("diagnostics/rule-runs?limit=500")) as unknown as {
      runs: { status: string }[];
    };
    return runs.filter(({ status }) => status !== "queued" && status !== "running").length;
  };
  await expect.poll(finished, { timeout: 60_000 }).toBeGreaterThanOrEqual(Math.min(expected, 500));
}
