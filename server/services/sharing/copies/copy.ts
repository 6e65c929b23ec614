import { and, eq, inArray } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { SharedPart } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import type { Redactor } from "./redactor";

export type CopyOptions = { redactor: Redactor; includeCost: boolean };

/** What a link shows: the first part, which it cannot do without, and the others. */
export type Copy = {
  of: { conversationId: string } | { findingId: string };
  name: string | null;
  parts: { conversationId: string; content: SharedPart }[];
};

/** Locks conversations against deletion until the copy of their words is stored. */
export async function lockSources({ db, projectId }: Ctx, ids: readonly string[]): Promise<void> {
  const distinct = [...new Set(ids)];
  const locked = await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(eq(conversations.projectId, projectId), inArray(conversations.id, distinct)))
    .orderBy(conversations.id)
    .for("key share");
  if (locked.length < distinct.length) throw notFound("Conversation");
}
