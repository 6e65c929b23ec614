import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { notFound } from "@/server/platform/errors";
import { storable } from "../storable-value";
import type { Agent } from "./authenticate-agent";
import { announce } from "./news";

const CHARACTERS_MAX = 4_000_000;
const partBody = z.object({ seq: z.int().min(1), text: z.string().max(CHARACTERS_MAX) });

/**
 * Stores a part of an answer; an empty one says that the agent is still working on it. Throws `not_found` once nobody is
 * waiting for the answer, so that the agent ends it.
 */
export async function takePart(db: Db, agent: Agent, commandId: string, body: unknown) {
  const { seq, text } = partBody.parse(body);
  const [taken] = await db.execute<{ is_waiting: boolean }>(sql`
    with waiting as (
      update trainer_commands set sent_at = ${NOW}
      where id = ${commandId} and trainer_id = ${agent.id} and state = 'sent' returning id
    ),
    stored as (
      insert into trainer_command_parts (command_id, seq, text)
      select id, ${seq}::int, ${storable(text)}::text from waiting where ${text !== ""}
      on conflict do nothing
    )
    select exists (select 1 from waiting) as is_waiting`);
  if (!taken?.is_waiting) throw notFound("The command");
  announce(commandId);
  return { accepted: true };
}
