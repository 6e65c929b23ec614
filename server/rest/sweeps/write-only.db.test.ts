import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Capability } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { storedJob } from "@/server/services/background-jobs/testing";
import { createRepricing, failRepricing } from "@/server/services/costs";
import { createRuleRuns, executeRuleRuns, listFindings, updateRule } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";
import { verbsOfServices } from "../testing/all-verbs";

/** What only a reader may see, wherever a reply could take it from. */
const SECRET = "zulu4821";

type Method = "POST" | "PATCH";
type Call = { method: Method; path: string; body?: object };

async function world() {
  const { ctx } = await testProject();
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { keywords: [SECRET] } });
  const { id, lastActivityAt } = await storedConversation(ctx, [
    { role: "user", text: `Where is ${SECRET}?` },
    ...failingToolCall(SECRET, `Error: ${SECRET} not found`),
  ]);
  await ctx.db.update(conversations).set({ preview: SECRET }).where(eq(conversations.id, id));
  const asked = { conversationId: id, lastActivityAt };
  const { runs } = await createRuleRuns(ctx, asked);
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const { findings } = await listFindings(ctx, {});
  const backgroundJobId = await storedJob(ctx, { state: "failed", error: { name: "Error", message: SECRET } });
  const { repricing } = await createRepricing(ctx, { from: 0, to: 1 });
  return { ctx, asked, findingId: findings[0]!.id, backgroundJobId, repricing };
}
type World = Awaited<ReturnType<typeof world>>;

/** Each write that has more to tell to whoever may read, and what its caller gets who may not. */
const CALLS: Record<string, { capability: Capability; call: (of: World) => Call; gets: object }> = {
  "findings.update": {
    capability: "diagnostics:write",
    call: ({ findingId }) => ({
      method: "PATCH",
      path: `/diagnostics/findings/${findingId}`,
      body: { reviewStatus: "confirmed", resolutionStatus: "resolved" },
    }),
    gets: { finding: { reviewStatus: "confirmed", resolutionStatus: "resolved" } },
  },
  "ruleRuns.create": {
    capability: "diagnostics:write",
    call: ({ asked }) => ({ method: "POST", path: "/diagnostics/rule-runs", body: asked }),
    gets: { runs: [{ status: "completed" }, { status: "completed" }, { status: "completed" }] },
  },
  "rules.update": {
    capability: "diagnostics:write",
    call: () => ({
      method: "PATCH",
      path: "/diagnostics/rules/tool-failure",
      body: { configuration: { minSignalScore: 0.4 } },
    }),
    gets: { rule: { id: "tool-failure", configurationRevision: 3 } },
  },
  "conversations.changeLabels": {
    capability: "diagnostics:write",
    call: ({ asked }) => ({
      method: "PATCH",
      path: `/conversations/${asked.conversationId}/labels`,
      body: { add: ["vip"] },
    }),
    gets: { added: ["vip"], removed: [] },
  },
  "repricings.create": {
    capability: "model-pricing:write",
    call: () => ({ method: "POST", path: "/repricings", body: { from: 0, to: 1 } }),
    gets: { repricing: { state: "queued" } },
  },
  "repricings.undo": {
    capability: "model-pricing:write",
    call: ({ repricing }) => ({ method: "POST", path: `/repricings/${repricing.id}/undo`, body: {} }),
    gets: { repricing: { state: "undoing" } },
  },
  "backgroundJobs.replay": {
    capability: "project:admin",
    call: ({ backgroundJobId }) => ({ method: "POST", path: `/background-jobs/${backgroundJobId}/replay`, body: {} }),
    gets: { backgroundJob: { state: "queued" } },
  },
  "backgroundJobs.cancel": {
    capability: "project:admin",
    call: ({ backgroundJobId }) => ({ method: "POST", path: `/background-jobs/${backgroundJobId}/cancel`, body: {} }),
    gets: { backgroundJob: { state: "cancelled" } },
  },
};
/** Before the call, for those that take what the others leave alone. */
const BEFORE: Record<string, (of: World) => Promise<unknown>> = {
  "repricings.create": ({ ctx, repricing }) => endRepricing(ctx, repricing.id),
  "repricings.undo": ({ ctx, repricing }) => endRepricing(ctx, repricing.id),
  "backgroundJobs.cancel": async (of) => {
    of.backgroundJobId = await storedJob(of.ctx, { state: "queued", data: { markId: SECRET } });
  },
};
const endRepricing = async (ctx: Ctx, id: string) => failRepricing(ctx, id, SECRET);

/** They say what they were sent, or nothing but that it was done. */
const ECHOES = [
  "connections.create",
  "connections.test",
  "connections.update",
  "diagnosticSettings.update",
  "files.beginUpload",
  "modelPrices.create",
  "modelPrices.update",
  "storage.measure",
];

const dispatch = createDispatcher(OPERATIONS);
const send = async ({ ctx }: World, { method, path, body }: Call, key: string) => {
  const reply = await dispatch(requestTo(method, `/v1/projects/${ctx.projectId}${path}`, { key, body }));
  return { status: reply.status, text: await reply.text() };
};

test.each(Object.entries(CALLS))("%s tells a key that may only write what it did, and no more", async (name, one) => {
  const of = await world();
  await BEFORE[name]?.(of);
  const { status, text } = await send(of, one.call(of), await keyFor(of.ctx, one.capability));
  expect([status, JSON.parse(text)]).toMatchObject([expect.any(Number), one.gets]);
  expect(status).toBeLessThan(300);
  expect(text).not.toContain(SECRET);
  for (const field of ["evidence", "latestOccurrence", "resultCount", "notes", 'configuration"', "cost", "preview"]) {
    expect(text).not.toContain(field);
  }
});

test("who may read gets the whole reply", async () => {
  const of = await world();
  const key = await keyFor(of.ctx, "diagnostics:write", "diagnostics:read");
  const { text } = await send(of, CALLS["findings.update"]!.call(of), key);
  expect(JSON.parse(text).finding.latestOccurrence.evidence.length).toBeGreaterThan(0);
  expect((await send(of, CALLS["rules.update"]!.call(of), key)).text).toContain(SECRET);
  expect((await send(of, CALLS["conversations.changeLabels"]!.call(of), key)).text).toContain(SECRET);
});

test("every write that a right to write alone allows is looked at here", async () => {
  const partial = (await verbsOfServices()).flatMap(({ verb: { spec } }) =>
    spec.scope === "project" && spec.effect === "write" && spec.writeOnlyReply !== undefined ? [spec.name] : [],
  );
  expect(partial.sort()).toEqual(Object.keys(CALLS).sort());
  const others = (await verbsOfServices()).flatMap(({ verb: { spec } }) =>
    spec.scope === "project" &&
    spec.effect === "write" &&
    spec.writeOnlyReply === undefined &&
    !spec.capability.includes("project:admin") &&
    !spec.reply.safeParse({ ok: true }).success
      ? [spec.name]
      : [],
  );
  expect(others.sort()).toEqual(ECHOES);
});
