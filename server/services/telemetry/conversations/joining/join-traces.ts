import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { moveTraces } from "../../projection/move-traces";

type Joining = { from: string; into: string };

/**
 * Moves all traces of a conversation without an id of its client's to another, and queues that to be read again. Must run in
 * the caller's transaction. Spans of the traces that arrive later follow. Throws `conflict` if the client named it.
 */
export async function joinTraces(tx: Ctx, { from, into }: Joining) {
  const { db, projectId } = tx;
  // As the projector does, traces before conversations.
  const traces = await db.execute<{ id: string }>(sql`
    select id from traces where project_id = ${projectId} and conversation_id = ${from} order by id for no key update`);
  const locked = await db.execute<{ id: string; external_id: string | null }>(sql`
    select id, external_id from conversations where project_id = ${projectId} and id = any(${textArray([from, into])})
    order by id for no key update`);
  const left = [...locked].find(({ id }) => id === from);
  if (locked.length !== 2 || !left) throw notFound("Conversation");
  if (left.external_id !== null)
    throw new ServiceError(
      "conflict",
      "The client has given this conversation an id, which would move it back. Send the id of the other one instead.",
    );
  const ids = [...traces].map(({ id }) => id);
  await moveTraces(
    db,
    projectId,
    ids.map((trace_id) => ({ trace_id, left: from, into })),
  );
  await db.execute(sql`
    insert into projection_queue (project_id, trace_id, received_at)
    select ${projectId}::text, t.id, ${NOW} from unnest(${textArray(ids.slice(0, 1))}) as t(id)`);
}
