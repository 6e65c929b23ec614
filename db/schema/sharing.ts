import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import { findings } from "./diagnostics";
import { SHARE_MASKINGS } from "./enumerations";
import type { SharedPart } from "./json";
import { owningProjectId, withinProject } from "./projects";
import { conversations } from "./telemetry";

/** A link with which anyone who has it reads a frozen copy of one conversation or Finding, until it expires or is revoked. */
export const shareLinks = pgTable(
  "share_links",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    /** SHA-256 of the token, hex: the token itself exists only in the link. */
    tokenHash: text("token_hash").notNull(),
    conversationId: text("conversation_id"),
    findingId: text("finding_id"),
    masking: text("masking", { enum: SHARE_MASKINGS }).notNull(),
    includesCost: boolean("includes_cost").notNull(),
    /** A person or a key. */
    createdBy: text("created_by"),
    createdAt: createdAt(),
    expiresAt: unixMs("expires_at").notNull(),
    revokedAt: unixMs("revoked_at"),
    openedCount: integer("opened_count").notNull().default(0),
    lastOpenedAt: unixMs("last_opened_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    check("share_links_object", sql`num_nonnulls(conversation_id, finding_id) = 1`),
    withinProject("share_links_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    withinProject("share_links_finding", t, t.findingId, findings).onDelete("cascade"),
    uniqueIndex("share_links_token").on(t.tokenHash),
    index("share_links_newest").on(t.projectId, t.createdAt, t.id),
    index("share_links_of_conversation").on(t.projectId, t.conversationId),
    index("share_links_of_finding").on(t.projectId, t.findingId),
  ],
);

/** What a share link shows, in parts that each have words of one conversation, with which they are deleted. */
export const sharedParts = pgTable(
  "shared_parts",
  {
    projectId: owningProjectId(),
    shareLinkId: text("share_link_id").notNull(),
    position: integer("position").notNull(),
    conversationId: text("conversation_id").notNull(),
    content: jsonb("content").$type<SharedPart>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.shareLinkId, t.position] }),
    withinProject("shared_parts_link", t, t.shareLinkId, shareLinks).onDelete("cascade"),
    withinProject("shared_parts_conversation", t, t.conversationId, conversations).onDelete("cascade"),
    index("shared_parts_of_conversation").on(t.projectId, t.conversationId),
  ],
);
