import { afterEach, beforeEach, expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { getFinding, listFindingWorkItems, mergeFindingsByHand } from "@/server/services/diagnostics";
import { connectTracker, failedTool, runTurns } from "@/server/services/diagnostics/work-items/testing";
import { startGithub } from "@/testbed/trackers/github-server";
import type { SimulatedTracker } from "@/testbed/trackers/simulated-tracker";
import { createVariant, handOffVariantAsTicket } from "..";
import { storedModel } from "../testing/stored-variant";

process.env.OUTBOUND_ALLOW = "127.0.0.1";

let github: SimulatedTracker;
beforeEach(async () => {
  github = await startGithub();
});
afterEach(() => github.stop());

const comments = () => github.tickets().flatMap((ticket) => ticket.comments);

async function savedFor(ctx: Ctx, findingId: string | null) {
  const { variant } = await createVariant(ctx, {
    name: "Tell @everyone",
    connectionId: await storedModel(ctx),
    model: "gpt-5`@everyone`",
    basedOn: "Be brief.",
    systemPrompt: "Be brief.\nSend complaints to anna.meier@example.org.\n```\n@everyone",
    note: "Fixes #1.",
    findingId,
  });
  return variant.id;
}

test("a variant goes to its Finding's ticket as one comment, in which nothing is resolved and personal data is masked", async () => {
  const { ctx } = await testProject();
  const { findingId } = await failedTool(ctx);
  const variantId = await savedFor(ctx, findingId);
  await expect(handOffVariantAsTicket(ctx, { variantId, provider: "github" })).rejects.toMatchObject({
    code: "not_implemented",
  });
  await connectTracker(ctx, "github", github);
  await expect(handOffVariantAsTicket(ctx, { variantId })).rejects.toMatchObject({ code: "unprocessable" });
  expect(github.tickets()).toEqual([]);

  const handed = await handOffVariantAsTicket(ctx, { variantId, provider: "github" });
  expect(handed).toMatchObject({ isAdded: true, workItem: { findingId, state: "open", externalKey: "acme/shop#1" } });
  expect((await getFinding(ctx, { findingId })).finding.reviewStatus).toBe("confirmed");
  const [comment] = comments();
  expect(comment).toContain("+Send complaints to <EMAIL_1>.");
  expect(comment).toContain(`/p/${ctx.projectId}/variants/${variantId}`);
  const outsideFences = comment!.replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, "");
  expect(outsideFences).not.toMatch(/@everyone(?!`)|#1(?!\d)/);

  // The same again adds nothing; another version is another comment in the same ticket.
  expect((await handOffVariantAsTicket(ctx, { variantId })).isAdded).toBe(true);
  expect(comments()).toHaveLength(1);
  await handOffVariantAsTicket(ctx, { variantId: await savedFor(ctx, findingId) });
  expect(comments()).toHaveLength(2);
  expect(github.tickets()).toHaveLength(1);
});

test("a variant of no Finding, or of another project, has no ticket, and one of a merged Finding goes where that went", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  await connectTracker(ctx, "github", github);
  await connectTracker(other, "github", github);
  const { findingId } = await failedTool(ctx);
  const { findingId: into } = await failedTool(ctx, { tool: "send_mail", error: "Error: the mailbox is full" });
  const variantId = await savedFor(ctx, findingId);
  await expect(handOffVariantAsTicket(other, { variantId, provider: "github" })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(
    handOffVariantAsTicket(ctx, { variantId: await savedFor(ctx, null), provider: "github" }),
  ).rejects.toMatchObject({ code: "unprocessable", message: expect.stringMatching(/written for no Finding/) });
  expect(github.tickets()).toEqual([]);
  await mergeFindingsByHand(ctx, { findingId: into, findingIds: [findingId] });
  const { workItem } = await handOffVariantAsTicket(ctx, { variantId, provider: "github" });
  expect(workItem.findingId).toBe(into);
});

test("while the tracker has not created the ticket nothing is added, and a tracker that refuses is an error", async () => {
  const { ctx } = await testProject();
  await connectTracker(ctx, "github", github);
  const { findingId } = await failedTool(ctx);
  const variantId = await savedFor(ctx, findingId);
  github.fault = () => "limit";
  expect(await handOffVariantAsTicket(ctx, { variantId, provider: "github" })).toMatchObject({
    isAdded: false,
    workItem: { state: "pending" },
  });
  github.fault = () => undefined;
  const [item] = (await listFindingWorkItems(ctx, { findingId })).workItems;
  await expect.poll(() => runTurns(ctx, item!.id).then(() => github.tickets()), { timeout: 15_000 }).toHaveLength(1);
  github.fault = ({ path }) => (path.endsWith("/comments") ? 503 : undefined);
  await expect(handOffVariantAsTicket(ctx, { variantId })).rejects.toMatchObject({ code: "unavailable" });
  github.fault = () => undefined;
  expect((await handOffVariantAsTicket(ctx, { variantId })).isAdded).toBe(true);
  expect(comments()).toHaveLength(1);
});
