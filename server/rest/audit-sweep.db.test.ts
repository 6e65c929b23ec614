import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { accountAuditLog, auditLog } from "@/db/schema";
import type { AccountVerb, Verb } from "@/server/platform/verb";
import { appRouter } from "@/server/trpc/root";
import { verbsOfServices } from "./all-verbs";
import { SAMPLES, sampleOwner } from "./audit-samples";
import { OPERATIONS } from "./operations";

/** Mutations that no verb stands behind: what they write is tested beside them. */
const LINKS = ["links.join", "links.resetPassword", "setup.complete"];
/** A batch's record is its receipt. */
const BATCHES = ["otlp.logs", "otlp.traces"];

const verbs = (await verbsOfServices()).map(({ exported, verb }) => ({
  exported,
  name: verb.spec.name,
  verb: verb as unknown as Verb | AccountVerb,
}));
const writes = verbs.filter(({ verb }) => verb.spec.effect === "write");
const reads = verbs.filter(({ verb }) => verb.spec.effect === "read");

const newestOf = async (action: string) =>
  [
    ...(await db().select().from(auditLog).where(eq(auditLog.action, action)).orderBy(desc(auditLog.id)).limit(1)),
    ...(await db().select().from(accountAuditLog).where(eq(accountAuditLog.action, action)).limit(1)),
  ][0];

test.each(writes)("$name writes its row in the audit log", async ({ name, verb }) => {
  const sample = SAMPLES[name];
  expect(sample, `${name} has no line in audit-samples.ts`).toBeDefined();
  const owner = await sampleOwner();
  const { input, account } = (await sample?.(owner)) ?? { input: {} };
  if (verb.spec.scope === "project") {
    await (verb as Verb)(owner.ctx, input);
    const rows = await db().select().from(auditLog).where(eq(auditLog.projectId, owner.ctx.projectId));
    expect(rows.filter((row) => row.action === name)).toMatchObject([
      { actorKind: "user", actorId: owner.userId, targetId: expect.anything() },
    ]);
  } else {
    await (verb as AccountVerb)(account ?? owner.account, input);
    expect(await newestOf(name)).toMatchObject({ actorKind: "user", actorId: (account ?? owner.account).userId });
  }
});

test.each(reads.filter(({ verb }) => verb.spec.input.safeParse({}).success))(
  "$name, which says that it reads, changes nothing",
  async ({ verb }) => {
    const { ctx, account } = await sampleOwner();
    // Postgres refuses whoever writes here.
    await db().transaction(
      (tx) =>
        verb.spec.scope === "project"
          ? (verb as Verb)({ ...ctx, db: tx }, {})
          : (verb as AccountVerb)({ ...account, db: tx }, {}),
      { accessMode: "read only" },
    );
  },
);

test("nothing is changed at any door past the verbs, but by links and by batches", () => {
  const procedures = appRouter._def.procedures as unknown as Record<
    string,
    { _def: { type: string; meta?: { verb?: string } } }
  >;
  const others = Object.entries(procedures).filter(([, { _def }]) => _def.type === "mutation" && !_def.meta?.verb);
  expect(others.map(([path]) => path).sort()).toEqual(LINKS);
  const raw = OPERATIONS.flatMap((one) => ("verb" in one || one.method === "GET" ? [] : [one.name]));
  expect(raw.sort()).toEqual(BATCHES);
});
