import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { apiKeys, memberships, sessions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES, type Capability, ROLES, type Role } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { factsOf, isProjectQualified, type Operation } from "@/server/rest/operation";
import { OPERATIONS } from "@/server/rest/operations";
import { cookieFor, keyFor, requestTo } from "@/server/rest/testing";
import { verbsOfServices } from "@/server/rest/testing/all-verbs";
import { issueApiKey } from "@/server/services/api-keys";
import { handleTrpc } from "@/server/trpc/handler";
import { appRouter } from "@/server/trpc/root";
import { attachTrainer } from "@/testbed/trainers/attach-trainer";

// Without a trainer, every fine-tuning route returns the same 501.
beforeAll(attachTrainer);

/** The table on the product's own page, verbatim, rather than what the code derives from it. */
const READS: Capability[] = ["workspace:read", "model-pricing:read", "diagnostics:read", "project:data:read"];
const EDITS: Capability[] = [
  ...READS,
  "diagnostics:write",
  "models:manage",
  "project:data:write",
  "telemetry:write",
  "gateway:use",
];
const MANAGES: Capability[] = [...EDITS, "model-pricing:write", "project:models:manage", "connections:manage"];
const TABLE: Record<Role, Capability[]> = {
  viewer: READS,
  editor: EDITS,
  manager: MANAGES,
  owner: [...MANAGES, "project:admin"],
};
/** Subjects that the page reserves for owners: changes to members and keys, and deletions. */
const OWNERS_ONLY =
  /^(apiKeys|members|invitations|passwordResets|audit|retention\.update|masking\.update|gatewayRecording\.update|deletions|shareLinks\.updateSettings|projects\.(delete|rename))\b/;
/** Capabilities to manage what hardly anyone else may see, and which therefore also allow reading it. */
const READS_WHAT_IT_MANAGES = new Set<Capability>(["project:admin", "connections:manage"]);
/** Writes of the caller's own data, which concern nobody else; for shared data they require a write capability. */
const ONES_OWN = /^(savedViews|pinnedCharts)\./;
/** Procedures that require only a one-time token, or no credential at all. */
const OPEN_PROCEDURES = [
  "links.forgotPassword",
  "links.invitation",
  "links.join",
  "links.passwordReset",
  "links.resetPassword",
  "setup.complete",
  "setup.status",
  "signIn.ways",
];

/** Unknown fields are refused after authorization, so that no attempt changes anything. */
const REFUSED_BODY = { notAField: true };
const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

type Sent = Parameters<typeof requestTo>[2] & object;
type Caller = {
  who: string;
  /** Its capabilities in this project; `null` if it does not belong to it. */
  holds: readonly Capability[] | null;
  by: "key" | "cookie" | "nothing";
  /** Its status where it does not belong: 401 for unknown callers, 404 for members and keys of other projects. */
  otherwise: 401 | 403 | 404;
  /** Whether its key or session is valid, for whatever project. */
  known: boolean;
  sent: Sent;
};

async function member(ctx: Ctx, role: Role) {
  const { userId } = await testProject();
  await db().insert(memberships).values({ projectId: ctx.projectId, userId, role });
  return userId;
}
const badKey = (ctx: Ctx, expiresAt: number | null) =>
  issueApiKey(db(), {
    projectId: ctx.projectId,
    name: "bad",
    capabilities: [...CAPABILITIES],
    expiresAt,
    createdBy: null,
  });

/** Returns every kind of caller that could try to access one project. */
async function callersOf(ctx: Ctx): Promise<Caller[]> {
  const callers: Caller[] = [];
  const add = (
    who: string,
    by: Caller["by"],
    holds: Caller["holds"],
    sent: Sent,
    otherwise: Caller["otherwise"] = 401,
    known = true,
  ) => callers.push({ who, by, holds, sent, otherwise, known });

  for (const role of ROLES) {
    const { cookie } = await cookieFor(await member(ctx, role));
    add(`a member as ${role}`, "cookie", TABLE[role], { cookie, headers: SAME_ORIGIN });
  }
  for (const capability of CAPABILITIES) {
    add(`a key with ${capability}`, "key", [capability], { key: await keyFor(ctx, capability) });
  }
  add("a key with nothing", "key", [], { key: await keyFor(ctx) });

  add("nobody", "nothing", null, {}, 401, false);
  add("a key that never was", "key", null, { key: `whet_${"0".repeat(32)}_${"a".repeat(46)}` }, 401, false);
  add("an empty Authorization", "key", null, { headers: { authorization: "" } }, 401, false);
  add("another scheme", "key", null, { headers: { authorization: "Basic dXNlcjpwYXNz" } }, 401, false);
  const expired = await badKey(ctx, Date.now() - 1);
  add("an expired key", "key", null, { key: expired.secret }, 401, false);
  const revoked = await badKey(ctx, null);
  await db().update(apiKeys).set({ revokedAt: Date.now() }).where(eq(apiKeys.id, revoked.apiKey.id));
  add("a revoked key", "key", null, { key: revoked.secret }, 401, false);

  const elsewhere = await testProject();
  add("a key of another project", "key", null, { key: await keyFor(elsewhere.ctx, ...CAPABILITIES) }, 404);
  const stranger = await cookieFor(elsewhere.userId);
  add("an owner of another project", "cookie", null, { cookie: stranger.cookie, headers: SAME_ORIGIN }, 404);
  const removed = await member(ctx, "owner");
  const former = await cookieFor(removed);
  await db().delete(memberships).where(eq(memberships.userId, removed));
  add("a member who was removed", "cookie", null, { cookie: former.cookie, headers: SAME_ORIGIN }, 404);

  const ended = await cookieFor(await member(ctx, "owner"));
  await db().update(sessions).set({ revokedAt: Date.now() }).where(eq(sessions.id, ended.sessionId));
  add("an owner whose session was ended", "cookie", null, { cookie: ended.cookie, headers: SAME_ORIGIN }, 401, false);
  const over = await cookieFor(await member(ctx, "owner"));
  await db()
    .update(sessions)
    .set({ expiresAt: Date.now() - 1 })
    .where(eq(sessions.id, over.sessionId));
  add("an owner whose session is over", "cookie", null, { cookie: over.cookie, headers: SAME_ORIGIN }, 401, false);
  add(
    "a cookie that we did not seal",
    "cookie",
    null,
    { cookie: "whetstone-session=abc.def", headers: SAME_ORIGIN },
    401,
    false,
  );
  return callers;
}

type Answer = { status: number; body: string };
const asAnswer = async (reply: Response): Promise<Answer> => ({ status: reply.status, body: await reply.text() });

const LACKS = /This requires the capability |Only owners of the installation may /;
const NOT_FROM_HERE = /the workbench's own pages/;
const NO_SERVICE = /A repair handoff needs a tracker/;
const NO_PROJECT = /The project was not found/;

/** Returns whether the caller was authorized: then only a thing or a field is missing, not the right. */
function verdictOf({ status, body }: Answer): "in" | 401 | 403 | 404 | "broken" {
  if (status === 501 && NO_SERVICE.test(body)) return "in";
  if (status >= 500) return "broken";
  if (status === 401) return 401;
  if (status === 403 && LACKS.test(body)) return 403;
  if (status === 403 && NOT_FROM_HERE.test(body)) return "broken";
  if (status === 404 && NO_PROJECT.test(body)) return 404;
  return "in";
}

const dispatch = createDispatcher(OPERATIONS);
const takesBody = (method: string) => method === "POST" || method === "PUT" || method === "PATCH";
const nameOf = (one: Operation) => `${one.method} ${one.path}`;

function ask(operation: Operation, projectId: string, sent: Sent) {
  const path = `/v1${operation.path.replace(":projectId", projectId).replaceAll(/:\w+/g, "none_1")}`;
  return dispatch(
    requestTo(operation.method, path, { ...sent, ...(takesBody(operation.method) ? { body: REFUSED_BODY } : {}) }),
  ).then(asAnswer);
}

function expectedOver(operation: Operation, caller: Caller): ReturnType<typeof verdictOf> {
  const { capability: wanted, besides } = factsOf(operation);
  if (wanted === null) return "in";
  if (!isProjectQualified(operation.path)) {
    // The key determines the project: one of another project accesses its own, with every capability there.
    if (caller.by !== "key" || !caller.known) return 401;
    const holds = caller.holds ?? CAPABILITIES;
    const holdsBoth = besides === undefined || holds.includes(besides);
    return holds.some((one) => wanted.includes(one)) && holdsBoth ? "in" : 403;
  }
  if (caller.holds === null) return caller.otherwise;
  const holdsBoth = besides === undefined || caller.holds.includes(besides);
  return caller.holds.some((one) => wanted.includes(one)) && holdsBoth ? "in" : 403;
}

/** Deletions come last, because the other operations need what they delete. */
const inOrder = [...OPERATIONS].sort((a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"));

test("each caller gets exactly the access in the table at every operation of /v1", async () => {
  const { ctx } = await testProject();
  const wrong: string[] = [];
  let tried = 0;
  for (const caller of await callersOf(ctx)) {
    for (const operation of inOrder) {
      const expected = expectedOver(operation, caller);
      // Deleting the project would affect the callers after it, so it is tested separately, by its owner.
      if (nameOf(operation) === "DELETE /projects/:projectId" && expected === "in") continue;
      const answer = await ask(operation, ctx.projectId, caller.sent);
      tried++;
      const got = verdictOf(answer);
      if (got !== expected)
        wrong.push(`${caller.who}: ${nameOf(operation)} → ${got}, not ${expected} (${answer.body.slice(0, 200)})`);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(tried).toBeGreaterThan(OPERATIONS.length * 25);
});

test("a member's cookie changes nothing from another site's page, at any operation", async () => {
  const { ctx, userId } = await testProject();
  const { cookie } = await cookieFor(userId);
  const wrong: string[] = [];
  for (const operation of inOrder) {
    if (factsOf(operation).effect === "read" || !isProjectQualified(operation.path)) continue;
    for (const headers of [{}, { "sec-fetch-site": "cross-site" }, { origin: "https://evil.test" }] as Record<
      string,
      string
    >[]) {
      const { status } = await ask(operation, ctx.projectId, { cookie, headers });
      if (status !== 403) wrong.push(`${nameOf(operation)} with ${JSON.stringify(headers)} → ${status}`);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

const specs = new Map((await verbsOfServices()).map(({ verb }) => [verb.spec.name, verb.spec]));
type Procedure = { _def: { type: "query" | "mutation"; meta?: { verb?: string } } };
const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);

function tell(path: string, type: Procedure["_def"]["type"], input: object, sent: Sent) {
  const text = JSON.stringify(input);
  const request =
    type === "query"
      ? requestTo("GET", `/api/trpc/${path}?input=${encodeURIComponent(text)}`, sent)
      : requestTo("POST", `/api/trpc/${path}`, {
          ...sent,
          body: text,
          headers: { "content-type": "application/json", ...sent.headers },
        });
  return handleTrpc(request).then(asAnswer);
}

test("each caller gets exactly the access in the table at every tRPC procedure", async () => {
  const { ctx } = await testProject();
  const wrong: string[] = [];
  expect(
    procedures
      .filter(([, { _def }]) => !_def.meta?.verb)
      .map(([path]) => path)
      .sort(),
  ).toEqual(OPEN_PROCEDURES);
  for (const caller of await callersOf(ctx)) {
    for (const [path, { _def }] of procedures) {
      const spec = _def.meta?.verb ? specs.get(_def.meta.verb) : undefined;
      if (!spec) continue;
      const isPerson = caller.by === "cookie" && caller.known;
      const expected =
        spec.scope !== "project"
          ? !isPerson
            ? 401
            : spec.scope === "account" || spec.right === "projects:create"
              ? "in"
              : 403
          : !isPerson
            ? 401
            : caller.holds === null
              ? caller.otherwise
              : caller.holds.some((one) => spec.capability.includes(one))
                ? "in"
                : 403;
      const input = { ...(spec.scope === "project" ? { projectId: ctx.projectId } : {}), ...REFUSED_BODY };
      // A write with an unknown field is refused only after authorization; so is a strict read.
      const headers = { ...SAME_ORIGIN, ...caller.sent.headers };
      const answer = await tell(path, _def.type, input, { ...caller.sent, headers });
      const got = verdictOf(answer);
      if (got !== expected)
        wrong.push(`${caller.who}: ${path} → ${got}, not ${expected} (${answer.body.slice(0, 200)})`);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});

test("no project write needs only a right to read, and owners' operations need project:admin", () => {
  const wrong: string[] = [];
  for (const spec of specs.values()) {
    if (spec.scope !== "project") continue;
    const reads = spec.capability.every((one) => one.endsWith(":read"));
    if (spec.effect === "write" && !ONES_OWN.test(spec.name) && spec.capability.some((one) => one.endsWith(":read")))
      wrong.push(`${spec.name} changes by a right to read`);
    if (
      spec.effect === "read" &&
      !reads &&
      !spec.capability.every((one) => READS_WHAT_IT_MANAGES.has(one) || one.endsWith(":read"))
    )
      wrong.push(`${spec.name} reads by a right to write`);
    if (OWNERS_ONLY.test(spec.name) && spec.effect === "write" && spec.capability.join() !== "project:admin")
      wrong.push(`${spec.name} is not only an owner's`);
  }
  expect(wrong.slice(0, 20)).toEqual([]);
});
