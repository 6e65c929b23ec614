import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { asOwner } from "@/db/testing/as-owner";
import { testProject } from "@/db/testing/test-project";
import { transact } from "@/server/platform/database/transact";
import { decodeTraces, listConversations, projectPending, storeTraces } from "@/server/services/telemetry";
import { chatSpan, ingest, otlpJson, type TestSpan } from "@/server/services/telemetry/testing";
import { deleteConversation } from ".";

const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");

/** Makes this transaction detect deadlocks much later than any other, so that Postgres aborts the other one. */
const stubborn = (tx: Db) => tx.execute(sql`set local deadlock_timeout = '60s'`);

const waiting = async () => {
  const [row] = await asOwner((owner) =>
    owner.execute<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
  );
  return row?.count;
};
const waitFor = (count: number) => expect.poll(waiting).toBe(count);

test("a deletion that fails with a deadlock is retried transparently", async () => {
  const { ctx } = await testProject();
  const [first, second] = [hex(1, 32), hex(2, 32)];
  const session = { attributes: { "session.id": "doomed" } };
  await ingest(ctx, [
    chatSpan({ traceId: first, spanId: hex(1, 16), ...session }),
    chatSpan({ traceId: second, spanId: hex(2, 16), ...session }),
  ]);
  const mine = sql`project_id = ${ctx.projectId}`;
  const touch = (tx: Db, trace: string) => tx.execute(sql`update traces set id = id where ${mine} and id = ${trace}`);

  // Called outside the transactions below.
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const deletion = begun.then(() => deleteConversation(ctx, { conversationId: "doomed" }));
  let merged: Promise<unknown> | undefined;
  // Locks like a merge: the conversation first, one of its traces afterwards. A deletion locks in the opposite order, and is
  // held up between the two traces until the merge waits for it.
  await asOwner((owner) =>
    owner.transaction(async (merge) => {
      await stubborn(merge);
      await merge.execute(sql`select 1 from conversations where ${mine} for no key update`);
      await db().transaction(async (holdUp) => {
        await touch(holdUp, second);
        begin();
        await waitFor(1);
        merged = touch(merge, first);
        merged.catch(() => {});
        await waitFor(2);
      });
      await merged;
    }),
  );
  expect((await deletion).deletion).toMatchObject({ status: "completed", counts: { conversations: 1, spans: 2 } });
  expect((await listConversations(ctx, {})).conversations).toEqual([]);
});

test("only a deadlock is retried, and only as a whole transaction", async () => {
  let runs = 0;
  const failing = (code: string) => async () => {
    runs++;
    throw Object.assign(new Error("lost"), { code });
  };
  await expect(transact(db(), failing("40P01"))).rejects.toThrow("lost");
  expect(runs).toBe(3);
  await expect(transact(db(), failing("23505"))).rejects.toThrow("lost");
  expect(runs).toBe(4);
  await expect(transact(db(), (tx) => transact(tx, failing("40P01")))).rejects.toThrow("lost");
  expect(runs).toBe(7);
});

test("conversations are merged and deleted concurrently, and each deletion succeeds", async () => {
  const { ctx } = await testProject();
  const ROUNDS = 12;
  /** One call reported by two instrumentations: in a named conversation, and in a separate trace. */
  const tellings = (n: number): [TestSpan, TestSpan] => {
    const response = { "gen_ai.response.id": `msg_${n}` };
    return [
      chatSpan({
        traceId: hex(2 * n + 1, 32),
        spanId: hex(2 * n + 1, 16),
        attributes: { ...response, "session.id": `s${n}` },
      }),
      chatSpan({ traceId: hex(2 * n + 2, 32), spanId: hex(2 * n + 2, 16), scope: "sdk", attributes: response }),
    ];
  };
  const store = (spans: TestSpan[]) =>
    storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson(spans))), "json"));
  for (let n = 0; n < ROUNDS; n++) {
    const [told, stray] = tellings(n);
    await ingest(ctx, [told]);
    await store([stray]);
    await Promise.all([
      projectPending(db()),
      projectPending(db()),
      deleteConversation(ctx, { conversationId: `s${n}` }),
    ]);
  }
  while ((await projectPending(db())) > 0);
  const { conversations } = await listConversations(ctx, { limit: 500 });
  // A call whose duplicate arrived before the deletion was deleted with it; one that arrived later stays on its own.
  expect(conversations.map(({ externalId }) => externalId)).toEqual(conversations.map(() => null));
});
