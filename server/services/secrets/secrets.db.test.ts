import { and, eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { NOW } from "@/db/now";
import { db } from "@/db/pool";
import { accountAuditLog, connections, jobEvents, ringKeys } from "@/db/schema";
import { newRandom } from "@/db/testing/random";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { type Envelope, type SecretLocation, sealSecret, unsealSecret } from "@/server/platform/key-ring";
import { seal } from "@/server/platform/seal";
import { rewrapSecrets, ringStatus, rotateSecrets } from ".";
import { SEALED_FIELDS } from "./sealed-fields";

const locationOf = ({ projectId }: Ctx, id: string): SecretLocation => ({ projectId, id, field: "connections.secret" });
const columnsOf = ({ sealed, dataKey, ringKey }: Envelope) => ({
  secretSealed: sealed,
  secretDataKey: dataKey,
  secretRingKey: ringKey,
});

async function store(ctx: Ctx, secret: string) {
  const id = newId("conn");
  await db().transaction(async (tx) => {
    const envelope = await sealSecret(tx, locationOf(ctx, id), secret);
    await tx.insert(connections).values({
      projectId: ctx.projectId,
      id,
      kind: "github",
      name: "x",
      baseUrl: "https://api.github.com",
      settings: {},
      ...columnsOf(envelope),
      updatedAt: NOW,
    });
  });
  return id;
}

async function rowOf(ctx: Ctx, id: string) {
  const [row] = await db()
    .select({ row: connections, wrapped: ringKeys.wrapped })
    .from(connections)
    .innerJoin(ringKeys, eq(ringKeys.id, connections.secretRingKey))
    .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, id)));
  if (!row) throw new Error(`There is no ${id}.`);
  const { secretSealed, secretDataKey, secretRingKey } = row.row;
  return {
    sealed: String(secretSealed),
    dataKey: String(secretDataKey),
    ringKey: String(secretRingKey),
    wrapped: row.wrapped,
  };
}
const read = async (ctx: Ctx, id: string) => unsealSecret(locationOf(ctx, id), await rowOf(ctx, id));
const replace = (ctx: Ctx, id: string, secret: string) =>
  db().transaction(async (tx) => {
    const envelope = await sealSecret(tx, locationOf(ctx, id), secret);
    await tx
      .update(connections)
      .set(columnsOf(envelope))
      .where(and(eq(connections.projectId, ctx.projectId), eq(connections.id, id)));
  });
const rewrapAll = async () => {
  while (!(await rewrapSecrets(db(), { forMs: 1000 })).done);
};
/** As if the ring's keys had been wrapped under another WHETSTONE_SECRET. */
const foreign = () =>
  db()
    .update(ringKeys)
    .set({ wrapped: seal(Buffer.alloc(32, 7), Buffer.alloc(32, 9).toString("base64")) });

beforeEach(async () => {
  await db().delete(connections);
  await db().delete(ringKeys);
});

test("a secret is encrypted under its own data key, and can be decrypted where it was stored", async () => {
  const { ctx } = await testProject();
  const [one, two] = [await store(ctx, "the same"), await store(ctx, "the same")];
  const [first, second] = [await rowOf(ctx, one), await rowOf(ctx, two)];
  expect(await read(ctx, one)).toBe("the same");
  expect(first.ringKey).toBe(second.ringKey);
  expect(first.sealed).not.toBe(second.sealed);
  expect(first.dataKey).not.toBe(second.dataKey);
});

test("a secret moved to another row, field or project cannot be decrypted", async () => {
  const [ours, theirs] = [await testProject(), await testProject()];
  const [mine, other] = [await store(ours.ctx, "mine"), await store(ours.ctx, "other")];
  const abroad = await store(theirs.ctx, "abroad");
  const row = await rowOf(ours.ctx, mine);
  const cannot = /cannot be opened/;
  expect(() => unsealSecret(locationOf(ours.ctx, other), row)).toThrow(cannot);
  expect(() => unsealSecret({ ...locationOf(ours.ctx, mine), field: "other.secret" }, row)).toThrow(cannot);
  expect(() => unsealSecret(locationOf(theirs.ctx, mine), row)).toThrow(cannot);
  expect(() => unsealSecret(locationOf(theirs.ctx, abroad), row)).toThrow(cannot);
  const mixed = { ...(await rowOf(ours.ctx, other)), sealed: row.sealed };
  expect(() => unsealSecret(locationOf(ours.ctx, other), mixed)).toThrow(cannot);
  const changed = { ...row, sealed: `${row.sealed.slice(0, -8)}${Buffer.alloc(6, 1).toString("base64")}` };
  expect(() => unsealSecret(locationOf(ours.ctx, mine), changed)).toThrow(cannot);
});

test("concurrent first secrets create one ring key", async () => {
  const { ctx } = await testProject();
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => store(ctx, `secret ${n}`)));
  expect(await ringStatus(db())).toMatchObject([{ current: true, opens: true, secrets: 8 }]);
  expect(await Promise.all(ids.map((id) => read(ctx, id)))).toContain("secret 7");
});

test("a rotation changes the key, keeps the secrets, and removes unused keys", async () => {
  const { ctx } = await testProject();
  const id = await store(ctx, "kept");
  const before = await rowOf(ctx, id);
  const made = await rotateSecrets(db());
  expect(await read(ctx, id)).toBe("kept");
  expect((await ringStatus(db())).map(({ current, secrets }) => [current, secrets])).toEqual([
    [true, 0],
    [false, 1],
  ]);
  await rewrapAll();
  const after = await rowOf(ctx, id);
  expect(after).toMatchObject({ sealed: before.sealed, ringKey: made });
  expect(after.dataKey).not.toBe(before.dataKey);
  expect(await read(ctx, id)).toBe("kept");
  expect(await ringStatus(db())).toMatchObject([{ id: made, current: true, secrets: 1 }]);
  expect(await rewrapSecrets(db(), { forMs: 1000 })).toEqual({ done: true, rewrapped: 0 });
  const [told] = await db().select().from(accountAuditLog).where(eq(accountAuditLog.targetId, made));
  expect(told).toMatchObject({ action: "secrets.rotate", actorKind: "operator", door: "cli" });
  const events = await db().select().from(jobEvents).where(eq(jobEvents.name, "secrets/key-ring.rotated"));
  expect(events.map(({ data }) => data)).toContainEqual({ ringKey: made });
});

test("secrets stay readable and writable while keys are rotated continuously", async () => {
  const { ctx } = await testProject();
  const written = new Map<string, string>();
  for (let n = 0; n < 150; n++) written.set(await store(ctx, `first ${n}`), `first ${n}`);
  const ids = [...written.keys()];
  const random = newRandom();
  const any = () => ids[Math.floor(random() * ids.length)] as string;
  let busy = true;
  const count = { reads: 0, writes: 0, rotations: 0 };
  const keepReading = async () => {
    for (; busy; count.reads++) expect(await read(ctx, any())).toMatch(/^(first|new) \d+$/);
  };
  const keepWriting = async (mine: readonly string[]) => {
    for (let n = 0; busy; n++, count.writes++) {
      const id = mine[n % mine.length] as string;
      await replace(ctx, id, `new ${n}`);
      written.set(id, `new ${n}`);
    }
  };
  const keepRotating = async () => {
    for (; count.rotations < 12; count.rotations++) {
      await rotateSecrets(db());
      await rewrapAll();
    }
    busy = false;
  };
  const stopped = (error: unknown) => {
    busy = false;
    throw error;
  };
  const all = [
    ...Array.from({ length: 3 }, keepReading),
    keepWriting(ids.slice(0, 40)),
    keepWriting(ids.slice(40, 80)),
    keepRotating(),
  ];
  await Promise.all(all.map((one) => one.catch(stopped)));
  for (const [id, secret] of written) expect(await read(ctx, id)).toBe(secret);
  expect(await ringStatus(db())).toMatchObject([{ current: true, secrets: 150 }]);
  expect(count.reads).toBeGreaterThan(50);
  expect(count.writes).toBeGreaterThan(20);
});

test("an interrupted rewrapping resumes where it stopped, and a concurrent one does no harm", async () => {
  const { ctx } = await testProject();
  const ids = await Promise.all(Array.from({ length: 250 }, (_, n) => store(ctx, `secret ${n}`)));
  await rotateSecrets(db());
  // As if a worker had been killed in the middle of a batch: nothing from that batch is stored.
  await db()
    .transaction(async (tx) => {
      await rewrapSecrets(tx, { forMs: 60_000 });
      throw new Error("killed");
    })
    .catch(() => {});
  expect((await ringStatus(db())).map(({ secrets }) => secrets)).toEqual([0, 250]);
  expect((await rewrapSecrets(db(), { forMs: 0 })).done).toBe(false);
  await Promise.all([rewrapAll(), rewrapAll()]);
  expect(await ringStatus(db())).toMatchObject([{ current: true, secrets: 250 }]);
  expect(await read(ctx, ids[249] as string)).toBe("secret 249");
});

test("under another WHETSTONE_SECRET nothing is decrypted or encrypted until the operator creates a new key", async () => {
  const { ctx } = await testProject();
  const old = await store(ctx, "lost");
  await foreign();
  await expect(read(ctx, old)).rejects.toMatchObject({ code: "unprocessable", message: /Enter it again/ });
  await expect(store(ctx, "new")).rejects.toMatchObject({ code: "unavailable", message: /secret rotate/ });
  await rotateSecrets(db());
  expect(await read(ctx, await store(ctx, "new"))).toBe("new");
  // What cannot be decrypted is left as it is: the right secret may come back.
  await rewrapAll();
  expect((await ringStatus(db())).map(({ opens, secrets }) => [opens, secrets])).toEqual([
    [true, 1],
    [false, 1],
  ]);
});

test("one damaged secret does not keep the others from being rewrapped", async () => {
  const { ctx } = await testProject();
  const ids = await Promise.all(Array.from({ length: 120 }, (_, n) => store(ctx, `secret ${n}`)));
  const [damaged = "", ...others] = [...ids].sort();
  await db().update(connections).set({ secretDataKey: "AAAA" }).where(eq(connections.id, damaged));
  await rotateSecrets(db());
  await rewrapAll();
  expect((await ringStatus(db())).map(({ secrets }) => secrets)).toEqual([119, 1]);
  for (const id of others.slice(-3)) expect(await read(ctx, id)).toMatch(/^secret/);
});

test("a rotation covers every column that refers to a ring key", async () => {
  const referring = await db().execute<{ name: string }>(sql`
    select c.conrelid::regclass::text || '.' || a.attname as name from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
    where c.contype = 'f' and c.confrelid = 'ring_keys'::regclass order by 1`);
  const known = SEALED_FIELDS.map(({ name, ringKey }) => `${name.split(".")[0]}.${ringKey.name}`);
  expect(referring.map(({ name }) => name)).toEqual(known);
});
