import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "../columns";
import { ROLES } from "../enumerations";
import { owningProjectId, projects } from "../projects";
import { users } from "./identity";

/** A one-time link into a project. Works once, for anyone who holds it, until it expires or is revoked. */
export const invitations = pgTable(
  "invitations",
  {
    projectId: owningProjectId(),
    id: text("id").notNull(),
    /** SHA-256 of the token, hex: the token itself exists only in the link. */
    tokenHash: text("token_hash").notNull(),
    role: text("role", { enum: ROLES }).notNull(),
    /** The invited address; if set, nobody with another address can accept. */
    email: text("email"),
    /** A person or a key. */
    createdBy: text("created_by"),
    createdAt: createdAt(),
    expiresAt: unixMs("expires_at").notNull(),
    acceptedAt: unixMs("accepted_at"),
    acceptedBy: text("accepted_by"),
    revokedAt: unixMs("revoked_at"),
  },
  (t) => [
    primaryKey({ columns: [t.projectId, t.id] }),
    index("invitations_newest").on(t.projectId, t.createdAt, t.id),
    index("invitations_token").on(t.tokenHash),
    index("invitations_email").on(sql`lower(${t.email})`),
  ],
);

/** A one-time link with which a person sets a new password. Not per project, like people. */
export const passwordResets = pgTable(
  "password_resets",
  {
    /** SHA-256 of the token, hex. */
    hash: text("hash").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The project whose owner issued it; null if the operator did or the person requested it. */
    projectId: text("project_id").references(() => projects.id, { onDelete: "cascade" }),
    /** The owner who issued it; null if the operator did or the person requested it. */
    createdBy: text("created_by"),
    /** Whether the link was only e-mailed to the person, so that nobody else has seen it. */
    mailedOnly: boolean("mailed_only").notNull().default(false),
    createdAt: createdAt(),
    expiresAt: unixMs("expires_at").notNull(),
    usedAt: unixMs("used_at"),
  },
  (t) => [index("password_resets_user").on(t.userId)],
);
