import { expect, test } from "vitest";
import type { Ctx } from "@/server/platform/context";
import { listFixes } from "@/server/services/diagnostics";
import { resolved } from "@/server/services/diagnostics/fixes/testing";
import { storedEvaluation } from "@/server/services/proof/testing/stored-evaluation";
import { storedVariant } from "@/server/services/proof/testing/stored-variant";
import { createPrompt, createPromptVersion, moveLabel } from ".";

const FIXED = "You help customers of Acme. Ask before you cancel an order.";

/** Stores a variant with this system prompt, and what a proof of it for a Finding showed. */
async function proven(ctx: Ctx, findingId: string, verdict: "proven" | "not_enough" = "proven") {
  const { variantId, connectionId } = await storedVariant(ctx, FIXED, findingId);
  const by = { checkpointId: null, trainerId: null, variantId, baseline: { connectionId, model: "gpt-4o" } };
  const ended = { kind: "finding", findingId, status: "succeeded", verdict, summary: {}, finishedAt: 1 } as const;
  await storedEvaluation(ctx, "", { ...by, ...ended });
}

const watched = async (ctx: Ctx, findingId: string) =>
  (await listFixes(ctx, { findingId })).fixes.map(({ by, value, kind, startedAt }) => ({ by, value, kind, startedAt }));

test("what a variant was proven to fix is watched by the prompt's version that clients get", async () => {
  const { ctx, findingId } = await resolved({ open: true });
  await proven(ctx, findingId);
  const content = "You help customers of {{shop}}. Ask before you cancel an order.";
  await createPrompt(ctx, { name: "shop", content: "You help customers of {{shop}}.", labels: ["production"] });
  await createPromptVersion(ctx, { promptName: "shop", content, labels: ["staging"] });
  expect(await watched(ctx, findingId)).toEqual([]);
  const moved = { promptName: "shop", label: "production", version: 2 };
  await moveLabel(ctx, moved);
  // It went out, but no conversation has it yet.
  const fix = { by: "prompt", value: "shop 2", kind: "prompt", startedAt: null };
  expect(await watched(ctx, findingId)).toEqual([fix]);
  await moveLabel(ctx, { ...moved, version: 1 });
  await moveLabel(ctx, moved);
  expect(await watched(ctx, findingId)).toEqual([fix]);
});

test("in a chat, the system messages are compared", async () => {
  const { ctx, findingId } = await resolved({ open: true });
  await proven(ctx, findingId);
  const content = [
    { role: "system" as const, content: FIXED },
    { role: "user" as const, content: "{{question}}" },
  ];
  await createPrompt(ctx, { name: "chat", content, labels: ["production"] });
  expect(await watched(ctx, findingId)).toMatchObject([{ value: "chat 1" }]);
});

test("an unproven variant starts no watch, nor does another project's prompt", async () => {
  const [ours, theirs] = [await resolved({ open: true }), await resolved({ open: true })];
  await proven(ours.ctx, ours.findingId, "not_enough");
  await proven(theirs.ctx, theirs.findingId);
  await createPrompt(ours.ctx, { name: "shop", content: FIXED, labels: ["production"] });
  expect(await watched(ours.ctx, ours.findingId)).toEqual([]);
  expect(await watched(theirs.ctx, theirs.findingId)).toEqual([]);
});
