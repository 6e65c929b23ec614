import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import {
  addFindingNote,
  contrastFinding,
  createRuleRuns,
  deleteFindingNote,
  executeRuleRuns,
  findingTimeline,
  getFinding,
  listAssignees,
  listFindingCauses,
  listFindingEvents,
  listFindingNotes,
  listFindings,
  listOccurrences,
  mergeFindingsByHand,
  splitFinding,
  undoFindingChange,
  updateFinding,
  updateFindingNote,
  updateFindings,
  updateRule,
} from "../..";
import { failingToolCall, storedConversation } from "../../testing";
import { recountFindings } from "../counts/recount-findings";

async function failing(ctx: Ctx, tool: string, error: string, options: Parameters<typeof storedConversation>[2] = {}) {
  const conversation = await storedConversation(ctx, failingToolCall(tool, error), options);
  await read(ctx, conversation);
  return conversation;
}

async function read(ctx: Ctx, { id, lastActivityAt }: { id: string; lastActivityAt: number }) {
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
}

const of = async (ctx: Ctx, tool: string) =>
  (await listFindings(ctx, { signal: "tool_error", q: tool })).findings.map(({ id }) => id);
const get = async (ctx: Ctx, findingId: string) => (await getFinding(ctx, { findingId })).finding;
const kinds = async (ctx: Ctx, findingId: string) =>
  (await listFindingEvents(ctx, { findingId })).events.map(({ kind }) => kind);

test("a pinned severity survives recounts and changes the score, and null restores the Rules' severity", async () => {
  const { ctx } = await testProject();
  await failing(ctx, "alpha", "Error: not found");
  const [findingId] = await of(ctx, "alpha");
  const before = await get(ctx, findingId!);
  expect(await get(ctx, findingId!)).toMatchObject({ severity: "high", pinnedSeverity: null });
  await updateFinding(ctx, { findingId: findingId!, severity: "low" });
  await failing(ctx, "alpha", "Error: not found");
  const pinned = await get(ctx, findingId!);
  expect(pinned).toMatchObject({ severity: "low", pinnedSeverity: "low", occurrenceCount: 2 });
  expect(pinned.diagnosticScoreParts.severity).toBeLessThan(before.diagnosticScoreParts.severity);
  await updateFinding(ctx, { findingId: findingId!, severity: null });
  expect(await get(ctx, findingId!)).toMatchObject({ severity: "high", pinnedSeverity: null });
});

test("a Finding can be assigned only to members, and the list filters by assignee", async () => {
  const { ctx, userId } = await testProject();
  const { userId: stranger } = await testProject();
  await failing(ctx, "alpha", "Error: not found");
  const [findingId] = await of(ctx, "alpha");
  await expect(updateFinding(ctx, { findingId: findingId!, assigneeId: stranger })).rejects.toMatchObject({
    code: "unprocessable",
  });
  await updateFinding(ctx, { findingId: findingId!, assigneeId: "me" });
  for (const assignee of [userId, "me"]) {
    expect((await listFindings(ctx, { assignee })).findings.map(({ id }) => id)).toEqual([findingId]);
  }
  expect((await listFindings(ctx, { assignee: "none" })).findings.map(({ id }) => id)).not.toContain(findingId);
  expect(await kinds(ctx, findingId!)).toEqual(["assignee", "created"]);
});

test("assignees are the active members, listed by name, and only for readers of Findings", async () => {
  const { ctx, userId, asKey } = await testProject("editor");
  const { userId: stranger } = await testProject();
  const invite = (id: string, name: string | null, disabled = false) =>
    ctx.db.execute(sql`
      with person as (
        insert into users (id, email, name, disabled_at) values (${id}, ${`${id}@example.test`}, ${name}, ${disabled ? 1 : null})
      ) insert into memberships (project_id, user_id, role) values (${ctx.projectId}, ${id}, 'viewer')`);
  const [ann, gone] = [`ann_${userId}`, `gone_${userId}`];
  await invite(ann, "Zoe Ann");
  await invite(gone, "Left", true);
  const { assignees } = await listAssignees(ctx, {});
  expect(assignees).toEqual([
    { userId, name: userId, me: true },
    { userId: ann, name: "Zoe Ann", me: false },
  ]);
  expect(assignees.map((one) => one.userId)).not.toContain(stranger);
  expect((await listAssignees(ctx, { q: "an" })).assignees).toMatchObject([{ userId: ann }]);
  expect((await listAssignees(ctx, { q: "oe" })).assignees).toEqual([]);
  await expect(listAssignees(asKey("telemetry:write"), {})).rejects.toMatchObject({ code: "forbidden" });

  await failing(ctx, "alpha", "Error: not found");
  const [findingId] = await of(ctx, "alpha");
  await updateFinding(ctx, { findingId: findingId!, assigneeId: ann });
  expect(await get(ctx, findingId!)).toMatchObject({ assigneeId: ann, assigneeName: "Zoe Ann" });
  const [assigned] = (await listFindingEvents(ctx, { findingId: findingId! })).events;
  expect(assigned).toMatchObject({ kind: "assignee", actor: { kind: "user", id: userId, name: userId } });
});

test("undoing a bulk change restores every Finding except those changed since", async () => {
  const { ctx, userId } = await testProject();
  for (const tool of ["alpha", "bravo", "charlie"]) await failing(ctx, tool, "Error: not found");
  const [[alpha], [bravo]] = [await of(ctx, "alpha"), await of(ctx, "bravo")];
  await updateFinding(ctx, { findingId: alpha!, resolutionStatus: "resolved", assigneeId: userId });
  const before = await get(ctx, alpha!);

  const { change } = await updateFindings(ctx, {
    filter: { signal: "tool_error" },
    set: { reviewStatus: "dismissed", dismissalReason: "expected" },
  });
  expect(change.count).toBe(3);
  expect(await get(ctx, alpha!)).toMatchObject({
    reviewStatus: "dismissed",
    resolutionStatus: null,
    dismissalReason: "expected",
  });
  await updateFinding(ctx, { findingId: bravo!, reviewStatus: "confirmed" });
  expect(await undoFindingChange(ctx, { changeId: change.id })).toEqual({ restored: 2, skipped: 1 });
  const { updatedAt: _, ...restored } = await get(ctx, alpha!);
  expect(before).toMatchObject(restored);
  expect(await get(ctx, bravo!)).toMatchObject({ reviewStatus: "confirmed" });
  await expect(undoFindingChange(ctx, { changeId: change.id })).rejects.toMatchObject({ code: "conflict" });
});

test("Findings merged by hand stay merged when their conversations are read again and when more arrive; undoing separates them", async () => {
  const { ctx } = await testProject();
  const first = await failing(ctx, "alpha", "Error: not found");
  const second = await failing(ctx, "bravo", "Error: quota exceeded");
  const [[alpha], [bravo]] = [await of(ctx, "alpha"), await of(ctx, "bravo")];
  await updateFinding(ctx, { findingId: bravo!, reviewStatus: "confirmed" });

  const { finding, change } = await mergeFindingsByHand(ctx, { findingId: alpha!, findingIds: [bravo!] });
  expect(finding).toMatchObject({ id: alpha, occurrenceCount: 2, reviewStatus: "unreviewed" });
  expect(await get(ctx, bravo!)).toMatchObject({ mergedIntoId: alpha, occurrenceCount: 0 });
  expect(await of(ctx, "bravo")).toEqual([]);

  await read(ctx, { id: first.id, lastActivityAt: first.lastActivityAt + 1 });
  await read(ctx, { id: second.id, lastActivityAt: second.lastActivityAt + 1 });
  await failing(ctx, "bravo", "Error: quota exceeded");
  expect(await get(ctx, alpha!)).toMatchObject({ occurrenceCount: 3 });
  expect(await kinds(ctx, alpha!)).toEqual(expect.arrayContaining(["merged", "reviewed", "created"]));
  const { causes, merged } = await listFindingCauses(ctx, { findingId: alpha! });
  expect(causes.map(({ occurrenceCount }) => occurrenceCount)).toEqual([2, 1]);
  expect(merged).toMatchObject([{ id: bravo, changeId: change.id }]);

  await undoFindingChange(ctx, { changeId: change.id });
  expect(await get(ctx, alpha!)).toMatchObject({ occurrenceCount: 1 });
  expect(await get(ctx, bravo!)).toMatchObject({ occurrenceCount: 2, reviewStatus: "confirmed", mergedIntoId: null });
});

const [LEFT, RIGHT, BRIDGE] = [
  "Error: alpha bravo charlie delta echo foxtrot golf",
  "Error: bravo charlie delta echo foxtrot golf hotel",
  "Error: charlie delta echo foxtrot golf hotel bravo alpha",
];

test("a split by cause survives a new cause that resembles both sides, and undoing it joins them", async () => {
  const { ctx } = await testProject();
  const left = await failing(ctx, "get", LEFT);
  await failing(ctx, "get", RIGHT);
  const [findingId] = await of(ctx, "get");
  const { causes } = await listFindingCauses(ctx, { findingId: findingId! });
  const cause = causes.find((one) => one.cause!.includes("hotel"))!;
  await expect(splitFinding(ctx, { findingId: findingId!, causes: causes.map(({ id }) => id) })).rejects.toMatchObject({
    code: "unprocessable",
  });
  const { finding, change } = await splitFinding(ctx, { findingId: findingId!, causes: [cause.id] });
  expect(finding).toMatchObject({ occurrenceCount: 1, reviewStatus: "unreviewed", ruleId: "tool-failure" });

  await failing(ctx, "get", BRIDGE);
  await failing(ctx, "get", RIGHT);
  await read(ctx, { id: left.id, lastActivityAt: left.lastActivityAt + 1 });
  const counts = [(await get(ctx, findingId!)).occurrenceCount, (await get(ctx, finding.id)).occurrenceCount];
  expect(counts.reduce((a, b) => a + b)).toBe(4);
  expect(counts[1]).toBeGreaterThanOrEqual(2);
  await undoFindingChange(ctx, { changeId: change.id });
  expect(await get(ctx, findingId!)).toMatchObject({ occurrenceCount: 4 });
  expect(await get(ctx, finding.id)).toMatchObject({ mergedIntoId: findingId });
});

test("a conversation split off by hand stays separate when it is read again and when a similar one arrives", async () => {
  const { ctx } = await testProject();
  const one = await failing(ctx, "get", "Error: order 1 not found");
  await failing(ctx, "get", "Error: order 2 not found");
  const [findingId] = await of(ctx, "get");
  const { occurrences } = await listOccurrences(ctx, { findingId: findingId!, conversationId: one.id });
  const { finding } = await splitFinding(ctx, { findingId: findingId!, occurrences: [occurrences[0]!.id] });
  await read(ctx, { id: one.id, lastActivityAt: one.lastActivityAt + 1 });
  await failing(ctx, "get", "Error: order 3 not found");
  expect(await get(ctx, finding.id)).toMatchObject({ occurrenceCount: 1 });
  expect(await get(ctx, findingId!)).toMatchObject({ occurrenceCount: 2 });
});

test("a conversation with two merged causes has one occurrence, and a split divides its evidence by cause", async () => {
  const { ctx } = await testProject();
  const both = await storedConversation(ctx, [
    ...failingToolCall("alpha", "Error: not found"),
    ...failingToolCall("bravo", "Error: quota exceeded").map((said) => ({
      ...said,
      ...(said.toolCallId ? { toolCallId: "call_2" } : {}),
      ...(said.toolCalls ? { toolCalls: said.toolCalls.map((call) => ({ ...call, id: "call_2" })) } : {}),
    })),
  ]);
  await read(ctx, both);
  const [[alpha], [bravo]] = [await of(ctx, "alpha"), await of(ctx, "bravo")];
  await mergeFindingsByHand(ctx, { findingId: alpha!, findingIds: [bravo!] });
  const quotes = async (findingId: string) =>
    (await listOccurrences(ctx, { findingId })).occurrences.map(({ evidence }) => evidence.map(({ quote }) => quote));
  expect((await quotes(alpha!)).map((list) => list.length)).toEqual([2]);
  const { causes } = await listFindingCauses(ctx, { findingId: alpha! });
  const { finding } = await splitFinding(ctx, {
    findingId: alpha!,
    causes: causes.filter(({ cause }) => cause!.startsWith("bravo")).map(({ id }) => id),
  });
  expect(await quotes(alpha!)).toEqual([["Error: not found"]]);
  expect(await quotes(finding.id)).toEqual([["Error: quota exceeded"]]);
});

/** Stores a day's conversations, `affected` of which have the Finding, for a recount to count. */
async function dayOf(ctx: Ctx, findingId: string, daysAgo: number, affected: number, all: number) {
  const at = Date.now() - daysAgo * DAY_MS;
  await ctx.db.execute(sql`
    with made as (
      insert into conversations (project_id, id, key, started_at, last_activity_at, received_at)
      select ${ctx.projectId}::text, ${`d${daysAgo}_`}::text || n, ${`d${daysAgo}_`}::text || n, ${at}::bigint, ${at}::bigint, ${at}::bigint
      from generate_series(1, ${all}::int) n returning id
    ), read as (
      insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, status, result_count)
      select ${ctx.projectId}, 'run_' || made.id, r.rule_id, r.rule_version, made.id, ${at}::bigint, 'automatic', 'completed', 0
      from made, (
        select r.* from rule_runs r join occurrences o on o.project_id = r.project_id and o.rule_run_id = r.id
        where r.project_id = ${ctx.projectId} and o.finding_id = ${findingId} order by r.id limit 1) r
    ), hit as (select id from made order by id limit ${affected}::int)
    insert into occurrences (project_id, id, finding_id, conversation_id, rule_run_id, score, confidence, severity, title, summary, evidence, cause_ids, detected_at, updated_at)
    select o.project_id, o.id || hit.id, o.finding_id, hit.id, 'run_' || hit.id, o.score, o.confidence, o.severity, o.title, o.summary, o.evidence, o.cause_ids, ${at}::bigint, o.updated_at
    from hit, (select * from occurrences where project_id = ${ctx.projectId} and finding_id = ${findingId} order by id limit 1) o`);
}
const recount = (ctx: Ctx, findingId: string) =>
  inTransaction(ctx, (tx) => recountFindings(tx, [findingId], "automatic"));

test("a Finding escalates compared with its own past, stays escalating and calms down", async () => {
  const { ctx } = await testProject();
  await failing(ctx, "alpha", "Error: not found", { startedAt: Date.now() - 9 * DAY_MS });
  const [findingId] = await of(ctx, "alpha");
  for (const daysAgo of [8, 7, 6, 5]) await dayOf(ctx, findingId!, daysAgo, 2, 50);
  await recount(ctx, findingId!);
  expect(await get(ctx, findingId!)).toMatchObject({ trend: "new", escalatingSince: null });

  await dayOf(ctx, findingId!, 0, 20, 50);
  await recount(ctx, findingId!);
  const escalating = await get(ctx, findingId!);
  expect(escalating).toMatchObject({ trend: "escalating", escalatingSince: expect.any(Number) });
  expect(escalating.recentDays.at(-1)).toBe(20);
  expect((await listFindings(ctx, { trend: "escalating" })).findings.map(({ id }) => id)).toEqual([findingId]);
  await recount(ctx, findingId!);
  expect((await get(ctx, findingId!)).escalatingSince).toBe(escalating.escalatingSince);

  await dayOf(ctx, findingId!, 0.001, 0, 900);
  await recount(ctx, findingId!);
  expect(await get(ctx, findingId!)).toMatchObject({ trend: "new", escalatingSince: null });
  expect(await kinds(ctx, findingId!)).toEqual(["calmed", "escalating", "created"]);
});

test("reading more of the conversations is no escalation, and other settings are no calm", async () => {
  const { ctx } = await testProject();
  await failing(ctx, "alpha", "Error: not found", { startedAt: Date.now() - 9 * DAY_MS });
  const [findingId] = await of(ctx, "alpha");
  for (const daysAgo of [8, 7, 6, 5]) {
    await dayOf(ctx, findingId!, daysAgo, 2, 10);
    const at = Date.now() - daysAgo * DAY_MS;
    await ctx.db.execute(sql`
      insert into conversations (project_id, id, key, started_at, last_activity_at, received_at)
      select ${ctx.projectId}::text, id, id, ${at}::bigint, ${at}::bigint, 1
      from generate_series(1, 40) n, lateral (select 'unread_' || ${daysAgo}::int || '_' || n as id) c`);
  }
  await dayOf(ctx, findingId!, 0, 10, 50);
  await recount(ctx, findingId!);
  expect(await get(ctx, findingId!)).toMatchObject({ escalatingSince: null, recentShare: { conversations: 91 } });

  await dayOf(ctx, findingId!, 0.001, 50, 50);
  await recount(ctx, findingId!);
  expect((await get(ctx, findingId!)).escalatingSince).not.toBeNull();
  await updateRule(ctx, { ruleId: "tool-failure", configuration: { minSignalScore: 0.9 } });
  await ctx.db.execute(sql`
    update rule_runs set configuration_revision = 2 where project_id = ${ctx.projectId} and id like 'run_d0%'`);
  await recount(ctx, findingId!);
  expect((await get(ctx, findingId!)).escalatingSince).not.toBeNull();
});

test("a Finding dismissed until it gets worse comes back when it does, and one dismissed permanently does not", async () => {
  const { ctx } = await testProject();
  for (const tool of ["alpha", "bravo"])
    await failing(ctx, tool, "Error: not found", { startedAt: Date.now() - 9 * DAY_MS });
  const [[alpha], [bravo]] = [await of(ctx, "alpha"), await of(ctx, "bravo")];
  for (const id of [alpha!, bravo!]) await dayOf(ctx, id, id === alpha ? 5 : 6, 5, 50);
  for (const id of [alpha!, bravo!]) await recount(ctx, id);
  await updateFinding(ctx, { findingId: alpha!, reviewStatus: "dismissed", untilWorse: true });
  await updateFinding(ctx, { findingId: bravo!, reviewStatus: "dismissed", dismissalReason: "wrong" });
  for (const id of [alpha!, bravo!]) await dayOf(ctx, id, id === alpha ? 0 : 1, 25, 50);
  for (const id of [alpha!, bravo!]) await recount(ctx, id);
  expect(await get(ctx, alpha!)).toMatchObject({
    reviewStatus: "unreviewed",
    dismissedUntilWorse: false,
    dismissedAt: null,
  });
  expect(await get(ctx, bravo!)).toMatchObject({ reviewStatus: "dismissed", dismissalReason: "wrong" });
  expect((await listFindingEvents(ctx, { findingId: alpha! })).events[0]).toMatchObject({
    kind: "returned",
    origin: "automatic",
    detail: { dismissedRate: expect.any(Number) },
  });
});

test("notes are edited and deleted by their author only, and follow a merge", async () => {
  const { ctx, userId } = await testProject();
  await failing(ctx, "alpha", "Error: not found");
  await failing(ctx, "bravo", "Error: quota exceeded");
  const [[alpha], [bravo]] = [await of(ctx, "alpha"), await of(ctx, "bravo")];
  const { note } = await addFindingNote(ctx, { findingId: bravo!, text: "  Seen in staging.  " });
  expect(note).toMatchObject({ text: "Seen in staging.", editedAt: null, author: { kind: "user", name: userId } });
  const other: Ctx = { ...ctx, actor: { kind: "user", userId: "usr_other", role: "owner" } };
  const its = { findingId: bravo!, noteId: note.id };
  await expect(updateFindingNote(other, { ...its, text: "No." })).rejects.toMatchObject({ code: "forbidden" });
  await expect(deleteFindingNote(other, its)).rejects.toMatchObject({ code: "forbidden" });
  await updateFindingNote(ctx, { ...its, text: "Seen in production." });
  await mergeFindingsByHand(ctx, { findingId: alpha!, findingIds: [bravo!] });
  expect((await listFindingNotes(ctx, { findingId: alpha! })).notes).toMatchObject([{ text: "Seen in production." }]);
  await deleteFindingNote(ctx, its);
  expect((await listFindingNotes(ctx, { findingId: alpha! })).notes).toEqual([]);
});

test("the list is sorted and paginated by score, conversations or first detection, and filtered by title", async () => {
  const { ctx } = await testProject();
  for (const [n, tool] of ["alpha", "bravo", "charlie"].entries()) {
    for (let i = 0; i <= n; i++) await failing(ctx, tool, "Error: not found", { startedAt: Date.now() - n * DAY_MS });
  }
  for (const sort of ["score", "conversations", "first_seen", "newest"] as const) {
    const all = (await listFindings(ctx, { sort, signal: "tool_error" })).findings.map(({ id }) => id);
    const pages: string[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await listFindings(ctx, { sort, signal: "tool_error", limit: 1, ...(cursor && { cursor }) });
      pages.push(...page.findings.map(({ id }) => id));
      cursor = page.pagination.nextCursor ?? undefined;
    }
    expect(pages).toEqual(all);
    expect(all).toHaveLength(3);
  }
  const [most] = (await listFindings(ctx, { sort: "conversations", signal: "tool_error" })).findings;
  expect(most).toMatchObject({ occurrenceCount: 3, title: expect.stringContaining("charlie") });
  expect((await listFindings(ctx, { q: "BRAV" })).findings.length).toBeGreaterThan(0);
  expect((await listFindings(ctx, { q: "%" })).findings).toEqual([]);
});

test("the contrast shows conversations with the same request that went well", async () => {
  const { ctx } = await testProject();
  const failed = await failing(ctx, "alpha", "Error: not found");
  const [findingId] = await of(ctx, "alpha");
  const well = await storedConversation(ctx, [
    { role: "user", text: "Where is my order 17?" },
    { role: "assistant", text: "It arrives tomorrow." },
  ]);
  const other = await storedConversation(ctx, [
    { role: "user", text: "Cancel the subscription of my mother, please." },
    { role: "assistant", text: "It is cancelled." },
  ]);
  const previews = {
    [failed.id]: "Where is my order 4821?",
    [well.id]: "Where is my order 17?",
    [other.id]: "Cancel it",
  };
  for (const [id, preview] of Object.entries(previews)) {
    await ctx.db.update(conversations).set({ preview }).where(sql`id = ${id}`);
  }
  for (const conversation of [well, other]) await read(ctx, conversation);
  const { conversations: similar, compared } = await contrastFinding(ctx, { findingId: findingId! });
  expect(similar).toMatchObject([{ id: well.id, similarity: 1, because: "same_request" }]);
  expect(compared).toBe(2);
});

test("a bulk change with a merged or another project's Finding changes nothing and reports each by its index", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  await failing(other, "alpha", "Error: not found");
  for (const tool of ["alpha", "bravo", "charlie"]) await failing(ctx, tool, "Error: not found");
  const [[alpha], [bravo], [charlie], [theirs]] = [
    await of(ctx, "alpha"),
    await of(ctx, "bravo"),
    await of(ctx, "charlie"),
    await of(other, "alpha"),
  ];
  await mergeFindingsByHand(ctx, { findingId: alpha!, findingIds: [bravo!] });
  const findingIds = [alpha!, bravo!, charlie!, theirs!];
  const gone = [
    { path: "/findingIds/1", message: `${bravo} was not found.` },
    { path: "/findingIds/3", message: `${theirs} was not found.` },
  ];
  await expect(updateFindings(ctx, { findingIds, set: { reviewStatus: "confirmed" } })).rejects.toMatchObject({
    code: "not_found",
    message: `A Finding was not found: ${bravo}, ${theirs}. Nothing was changed.`,
    errors: gone,
  });
  expect(await get(ctx, alpha!)).toMatchObject({ reviewStatus: "unreviewed" });
  await expect(mergeFindingsByHand(ctx, { findingId: charlie!, findingIds: [alpha!, theirs!] })).rejects.toMatchObject({
    errors: [{ path: "/findingIds/1" }],
  });
  const { change } = await updateFindings(ctx, {
    findingIds: [alpha!, charlie!],
    set: { reviewStatus: "confirmed" },
  });
  expect(change.count).toBe(2);
});

test("another project's Findings, changes and notes do not exist", async () => {
  const { ctx } = await testProject();
  const { ctx: other } = await testProject();
  for (const project of [ctx, other]) {
    await failing(project, "alpha", "Error: not found");
    await failing(project, "bravo", "Error: quota exceeded");
  }
  const [[ours], [theirs], [theirOther]] = [await of(ctx, "alpha"), await of(other, "alpha"), await of(other, "bravo")];
  const { note } = await addFindingNote(other, { findingId: theirs!, text: "Ours alone." });
  const { change } = await updateFindings(other, { findingIds: [theirs!], set: { reviewStatus: "confirmed" } });
  const { causes } = await listFindingCauses(other, { findingId: theirs! });
  const refused = { code: "not_found" };
  await expect(mergeFindingsByHand(ctx, { findingId: ours!, findingIds: [theirs!] })).rejects.toMatchObject(refused);
  await expect(mergeFindingsByHand(ctx, { findingId: theirs!, findingIds: [ours!] })).rejects.toMatchObject(refused);
  await expect(splitFinding(ctx, { findingId: theirs!, causes: [causes[0]!.id] })).rejects.toMatchObject(refused);
  await expect(splitFinding(ctx, { findingId: ours!, causes: [causes[0]!.id] })).rejects.toMatchObject({
    code: "unprocessable",
  });
  await expect(undoFindingChange(ctx, { changeId: change.id })).rejects.toMatchObject(refused);
  await expect(
    updateFindings(ctx, { findingIds: [ours!, theirOther!], set: { reviewStatus: "dismissed" } }),
  ).rejects.toMatchObject(refused);
  await expect(deleteFindingNote(ctx, { findingId: ours!, noteId: note.id })).rejects.toMatchObject(refused);
  for (const verb of [listFindingEvents, listFindingNotes, listFindingCauses, contrastFinding, findingTimeline]) {
    await expect(verb(ctx, { findingId: theirs! })).rejects.toMatchObject(refused);
  }
  await updateFindings(ctx, { filter: {}, set: { reviewStatus: "dismissed" } });
  expect(await get(other, theirOther!)).toMatchObject({ reviewStatus: "unreviewed" });
});
