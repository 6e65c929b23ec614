import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { GET } from "@/app/share/[token]/route";
import { db } from "@/db/pool";
import { auditLog, sharedParts, shareLinks } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteConversation, deleteProject, runDeletion } from "@/server/services/deletion";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { failedTool } from "@/server/services/diagnostics/work-items/testing";
import {
  createShareLink,
  deleteExpiredCopies,
  getShareLinkSettings,
  listShareLinks,
  revokeShareLink,
  updateShareLinkSettings,
} from ".";

const MAIL = "ann@customers.example.org";
const KEY = "sk-proj-a8Fk2Lq9Zx7Vb3Nm5Qw1Er6Ty4Ui8Op2As9Df";

/** A project with share links on and a conversation that quotes an address and a credential. */
async function sharing() {
  const { ctx, asKey } = await testProject();
  await updateShareLinkSettings(ctx, { enabled: true });
  const { id: conversationId } = await storedConversation(
    ctx,
    [
      { role: "user", text: `I am ${MAIL}, see <b>https://evil.example</b>` },
      {
        role: "assistant",
        parts: [
          { type: "text", text: "One moment." },
          { type: "image", url: "https://evil.example/a.png" },
        ],
        toolCalls: [{ id: "call_1", name: "find", arguments: JSON.stringify({ email: MAIL, key: KEY }) }],
      },
      { role: "tool", text: `${MAIL} has no order`, toolCallId: "call_1" },
    ],
    { userId: "user-of-the-shop" },
  );
  return { ctx, asKey, conversationId };
}

const ADDRESSES = { next: 1 };
/** Opens a link as a browser without a session does. */
async function open(token: string, address = `192.0.2.${ADDRESSES.next++}`) {
  const request = new Request(`http://whetstone.test/share/${token}`, { headers: { "x-forwarded-for": address } });
  const reply = await GET(request, { params: Promise.resolve({ token }) });
  return { status: reply.status, headers: reply.headers, page: await reply.text() };
}

const partsOf = async (ctx: Ctx) =>
  (await db().select().from(sharedParts).where(eq(sharedParts.projectId, ctx.projectId))).length;
const expire = (ctx: Ctx) =>
  db().update(shareLinks).set({ expiresAt: 1 }).where(eq(shareLinks.projectId, ctx.projectId));

test("whoever has the link reads the conversation without signing in, with personal data and credentials masked", async () => {
  const { ctx, conversationId } = await sharing();
  const { token, link, shareLink } = await createShareLink(ctx, { conversationId });
  expect(link).toMatch(new RegExp(`/share/${token}$`));
  expect(shareLink).toMatchObject({ conversationId, findingId: null, masking: "personal_data", status: "active" });
  const { status, page, headers } = await open(token);
  expect(status).toBe(200);
  expect(page).toContain("I am &lt;EMAIL_1&gt;");
  expect(page).toContain("&lt;EMAIL_1&gt; has no order");
  expect(page).toContain("&lt;SECRET_1&gt;");
  expect(page).toContain("a part of type <code>image</code>");
  for (const absent of [MAIL, KEY, "<b>https", "<a ", "<script", "<img", "src=", "href=", "user-of-the-shop"]) {
    expect(page).not.toContain(absent);
  }
  for (const id of [conversationId, ctx.projectId, shareLink.id, "Test project", "Cost"])
    expect(page).not.toContain(id);
  expect(headers.get("x-robots-tag")).toContain("noindex");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cache-control")).toBe("no-store");
});

test("a Finding is shared with quotes of the conversations that show it, and can hide what was said", async () => {
  const { ctx } = await sharing();
  const { findingId } = await failedTool(ctx, { error: `Error: ${MAIL} is locked` });
  const shown = await open((await createShareLink(ctx, { findingId, includeCost: true })).token);
  expect(shown.page).toContain("EMAIL_1");
  expect(shown.page).toContain("is locked");
  expect(shown.page).toContain("Cost");
  expect(shown.page).not.toContain(MAIL);
  const hidden = await open((await createShareLink(ctx, { findingId, masking: "content" })).token);
  expect(hidden.status).toBe(200);
  expect(hidden.page).toMatch(/Hidden: \d+ characters/);
  expect(hidden.page).not.toContain("is locked");
  expect(hidden.page).not.toContain(findingId);
});

test("the copy is frozen: what is said later is not in it", async () => {
  const { ctx, conversationId } = await sharing();
  const { token } = await createShareLink(ctx, { conversationId });
  await db().execute(sql`
    update conversation_messages set parts = '[{"type":"text","text":"said later"}]'
    where project_id = ${ctx.projectId} and conversation_id = ${conversationId}`);
  expect((await open(token)).page).not.toContain("said later");
});

test("an expired and a revoked link are gone (410) and lose their copies, an unknown one is not found (404)", async () => {
  const { ctx, conversationId } = await sharing();
  const { token, shareLink } = await createShareLink(ctx, { conversationId });
  await revokeShareLink(ctx, { shareLinkId: shareLink.id });
  await revokeShareLink(ctx, { shareLinkId: shareLink.id });
  expect(await open(token)).toMatchObject({ status: 410, page: expect.stringContaining("no longer works") });
  expect(await partsOf(ctx)).toBe(0);

  const expired = await createShareLink(ctx, { conversationId, days: 1 });
  await expire(ctx);
  expect((await open(expired.token)).status).toBe(410);
  expect(await deleteExpiredCopies(ctx, 10)).toBe(1);
  expect([await partsOf(ctx), (await open(expired.token)).status]).toEqual([0, 410]);

  for (const unknown of ["x", `${token}x`, "%00", "a".repeat(5000)]) expect((await open(unknown)).status).toBe(404);
  const { shareLinks: links } = await listShareLinks(ctx, {});
  expect(links.map(({ status }) => status)).toEqual(["expired", "revoked"]);
  expect((await listShareLinks(ctx, { active: true })).shareLinks).toEqual([]);
});

test("share links are off in a new project, and turning them off ends those that exist for good", async () => {
  const { ctx } = await testProject();
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }]);
  expect(await getShareLinkSettings(ctx, {})).toEqual({ settings: { enabled: false, activeCount: 0 } });
  await expect(createShareLink(ctx, { conversationId })).rejects.toMatchObject({ code: "conflict" });
  await updateShareLinkSettings(ctx, { enabled: true });
  const { token } = await createShareLink(ctx, { conversationId });
  expect((await open(token)).status).toBe(200);
  await updateShareLinkSettings(ctx, { enabled: false });
  expect([(await open(token)).status, await partsOf(ctx)]).toEqual([410, 0]);
  expect(await updateShareLinkSettings(ctx, { enabled: true })).toEqual({
    settings: { enabled: true, activeCount: 0 },
  });
  expect((await open(token)).status).toBe(410);
});

test("deleting a conversation deletes the copies with its words, and deleting the project all of them", async () => {
  const { ctx, conversationId } = await sharing();
  const other = await sharing();
  const kept = await createShareLink(other.ctx, { conversationId: other.conversationId });
  const { token } = await createShareLink(ctx, { conversationId });
  await deleteConversation(ctx, { conversationId });
  expect([(await open(token)).status, await partsOf(ctx)]).toEqual([404, 0]);

  // A Finding of two conversations outlives the one that described it, but its copy does not.
  const first = await failedTool(ctx, { startedAt: Date.now() - 900_000 });
  const second = await failedTool(ctx);
  expect(second.findingId).toBe(first.findingId);
  const finding = await createShareLink(ctx, { findingId: first.findingId });
  expect((await open(finding.token)).page.match(/<blockquote>/g)?.length).toBeGreaterThan(1);
  await deleteConversation(ctx, { conversationId: first.conversationId });
  expect((await open(finding.token)).status).toBe(410);
  expect((await listShareLinks(ctx, {})).shareLinks).toMatchObject([{ status: "deleted" }]);

  const { deletion } = await deleteProject(ctx, { name: "Test project" });
  while (!(await runDeletion(db(), deletion.id, { forMs: 10_000, jobName: "test" })).done);
  expect((await open(finding.token)).status).toBe(404);
  expect((await open(kept.token)).status).toBe(200);
});

test("the token is stored only as a hash, and neither lists nor the audit log have it", async () => {
  const { ctx, conversationId } = await sharing();
  const { token } = await createShareLink(ctx, { conversationId });
  await open(token);
  await open(token);
  const rows = await db().select().from(shareLinks).where(eq(shareLinks.projectId, ctx.projectId));
  expect(rows).toMatchObject([{ openedCount: 2, tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
  const log = await db().select().from(auditLog).where(eq(auditLog.projectId, ctx.projectId));
  expect(JSON.stringify([rows, log, await listShareLinks(ctx, {})])).not.toContain(token);
  const target = { targetType: "shareLink", targetId: rows[0]?.id };
  expect(log.filter(({ action }) => action === "shareLinks.create")).toMatchObject([target]);
  // The first opening is recorded, the others are counted.
  expect(log.filter(({ action }) => action === "shareLinks.open")).toMatchObject([{ ...target, actorKind: "visitor" }]);
});

test("another project's conversations and links are not found", async () => {
  const { ctx, conversationId } = await sharing();
  const { shareLink, token } = await createShareLink(ctx, { conversationId });
  const { findingId } = await failedTool(ctx);
  const { ctx: theirs } = await sharing();
  const missing = expect.objectContaining({ code: "not_found" });
  await expect(createShareLink(theirs, { conversationId })).rejects.toEqual(missing);
  await expect(createShareLink(theirs, { findingId })).rejects.toEqual(missing);
  await expect(revokeShareLink(theirs, { shareLinkId: shareLink.id })).rejects.toEqual(missing);
  expect((await listShareLinks(theirs, { conversationId })).shareLinks).toEqual([]);
  await updateShareLinkSettings(theirs, { enabled: false });
  expect((await open(token)).status).toBe(200);
});

test("sharing requires the right to read what is shared, and an owner to mask nothing", async () => {
  const { ctx, asKey, conversationId } = await sharing();
  const refused = expect.objectContaining({ code: "forbidden" });
  await expect(createShareLink(asKey("diagnostics:write"), { conversationId })).rejects.toEqual(refused);
  await expect(createShareLink(asKey("diagnostics:read"), { conversationId })).rejects.toEqual(refused);
  const editor = asKey("diagnostics:write", "diagnostics:read");
  await expect(createShareLink(editor, { conversationId, masking: "nothing" })).rejects.toEqual(refused);
  await expect(updateShareLinkSettings(editor, { enabled: true })).rejects.toEqual(refused);
  expect((await createShareLink(editor, { conversationId })).shareLink.status).toBe("active");
  const { token } = await createShareLink(ctx, { conversationId, masking: "nothing" });
  expect((await open(token)).page).toContain(MAIL);
});

test("a network that opens too many pages has to wait", async () => {
  const { ctx, conversationId } = await sharing();
  const { token } = await createShareLink(ctx, { conversationId });
  const statuses = new Set<number>();
  for (let opened = 0; opened < 310; opened++) statuses.add((await open("unknown", "198.51.100.7")).status);
  expect([...statuses]).toEqual([404, 429]);
  expect((await open(token, "198.51.100.7")).headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await open(token, "203.0.113.9")).status).toBe(200);
});
