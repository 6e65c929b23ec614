import { expect, test } from "vitest";
import { conversationOf } from "../../../../bench/labelled/conversation";
import { DEFAULT_CONFIGURATION, RULES } from "../rules";
import type { SnapshotModelCall } from "../types";
import { WindowedReading } from "./window-signals";

const rule = RULES.find(({ id }) => id === "provider-health")!;
const baseline = { models: [], conversationCost: { n: 100, p50: 0.01, p95: 0.02, p99: 0.03 } };

const call = (n: number): SnapshotModelCall => ({
  spanId: `s${n}`,
  traceId: "t",
  name: "chat",
  provider: "openai",
  requestedModel: "gpt-4o",
  responseModel: null,
  finishReasons: ["stop"],
  status: "ok",
  error: null,
  startedAt: n,
  endedAt: n + 1,
  usage: null,
  costTotal: "0.02",
});

test("the costs of all windows are added up, counting each call once", () => {
  const reading = new WindowedReading([{ rule, configuration: DEFAULT_CONFIGURATION }]);
  for (const [nth, owns] of [
    { from: 0, to: 4 },
    { from: 4, to: 8 },
  ].entries()) {
    const [from, to] = nth === 0 ? [0, 6] : [2, 8];
    const positions = Array.from({ length: to - from }, (_, index) => from + index);
    const messages = conversationOf(...positions.map((n) => ({ role: "assistant", content: `Reply ${n}` }))).messages;
    reading.add({
      conversation: {
        ...{ id: "c", userId: null, startedAt: 0, lastActivityAt: 9, messages, toolCalls: [], baseline },
        modelCalls: positions.map(call),
      },
      positions,
      owns,
      nextFrom: nth === 0 ? 2 : null,
      isLast: nth === 1,
      callPositions: new Map(positions.map((n) => [`s${n}`, n])),
    });
  }
  const [found] = reading.finish();
  expect(found).toMatchObject({
    signals: [{ signal: "cost_spike", summary: expect.stringMatching(/^8 model calls cost \$0\.16,/) }],
  });
});
