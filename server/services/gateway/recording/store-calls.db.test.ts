import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { ingestReceipts, spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { type SourcedSpan, spansText } from "./record-call";
import { storeCall } from "./store-calls";

const call = (digit: string) => {
  const span: SourcedSpan["span"] = {
    traceId: digit.repeat(32),
    spanId: digit.repeat(16),
    name: "chat gpt-4o",
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now()}000000`,
    attributes: [],
  };
  return { id: span.spanId, text: async () => spansText([{ service: "gateway", span }]) };
};
const spansOf = ({ projectId }: Ctx) => db().$count(spans, eq(spans.projectId, projectId));
const batchesOf = ({ projectId }: Ctx) => db().$count(ingestReceipts, eq(ingestReceipts.projectId, projectId));

test("calls that end together are stored together, each in its own project", async () => {
  const [ours, theirs] = [(await testProject()).ctx, (await testProject()).ctx];
  await Promise.all([...["1", "2", "3"].map((id) => storeCall(ours, call(id))), storeCall(theirs, call("4"))]);
  expect(await Promise.all([spansOf(ours), batchesOf(ours)])).toEqual([3, 1]);
  expect(await Promise.all([spansOf(theirs), batchesOf(theirs)])).toEqual([1, 1]);
});

test("a call that cannot be stored takes no other along", async () => {
  const { ctx } = await testProject();
  const unreadable = { id: "2", text: () => Promise.reject(new Error("No request.")) };
  const broken = { id: "3", text: async () => "{" };
  await Promise.all([call("1"), unreadable, broken, call("4")].map((one) => storeCall(ctx, one)));
  expect(await spansOf(ctx)).toBe(2);
});
