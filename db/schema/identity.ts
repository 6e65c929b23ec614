import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import { ROLES } from "./enumerations";
import { projects } from "./projects";

/** People who can sign in. Global: one person may belong to many projects. */
export const users = pgTable(
  "users",
  {
    id: text("id").primaryKey(),
    /** As typed; compared without regard to case. */
    email: text("email").notNull(),
    name: text("name"),
    /** Null for people who come in through a provider only. */
    passwordHash: text("password_hash"),
    /**
     * Whether somebody vouched for the address: the operator, the owner whose invitation named it, the provider. Whoever
     * joins by an invitation that is for anybody types whichever address they like.
     */
    emailProven: boolean("email_proven").notNull().default(true),
    /** When a link that somebody else made last set the password; null: never. */
    passwordResetAt: unixMs("password_reset_at"),
    /** The person who made that link; null for the operator. No foreign key: it outlives who did it. */
    passwordResetBy: text("password_reset_by"),
    /** Who manages people, and gives the rights that are outside any project. Whoever sets up is the first. */
    installationOwner: boolean("installation_owner").notNull().default(false),
    mayCreateProjects: boolean("may_create_projects").notNull().default(false),
    /** Since when they cannot sign in; null for who can. */
    disabledAt: unixMs("disabled_at"),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("users_email").on(sql`lower(${t.email})`)],
);

/**
 * Who somebody is at an OpenID Connect provider. The pair is what identifies them, and not their address, which changes
 * hands. An account is one person at each provider.
 */
export const identities = pgTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The address that the provider told last; the account keeps its own. */
    email: text("email"),
    createdAt: createdAt(),
    lastUsedAt: unixMs("last_used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), uniqueIndex("identities_user").on(t.userId, t.issuer)],
);

/** One row a signed-in browser; ending it signs that browser out everywhere at once. */
export const sessions = pgTable(
  "sessions",
  {
    id: text("id").primaryKey(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: createdAt(),
    lastSeenAt: unixMs("last_seen_at").notNull(),
    expiresAt: unixMs("expires_at").notNull(),
    revokedAt: unixMs("revoked_at"),
    userAgent: text("user_agent"),
    /** When the person said in this browser that they know of the password reset; null: they have not. */
    resetSeenAt: unixMs("reset_seen_at"),
  },
  (t) => [index("sessions_user").on(t.userId)],
);

export const memberships = pgTable(
  "memberships",
  {
    projectId: text("project_id")
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text("role", { enum: ROLES }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.userId] }), index("memberships_user").on(t.userId)],
);

/** Networks from which somebody has proved who they are: attempts from there are no stranger's. */
export const signInNetworks = pgTable(
  "sign_in_networks",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** HMAC of the IPv4 address or the IPv6 /64: where people are is not readable here. */
    network: text("network").notNull(),
    lastUsedAt: unixMs("last_used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.network] })],
);

/** Attempts to sign in, by who is tried from where, in a window of time: what limits guessing, across processes. */
export const loginAttempts = pgTable(
  "login_attempts",
  {
    subject: text("subject").notNull(),
    windowStart: unixMs("window_start").notNull(),
    failures: integer("failures").notNull(),
  },
  (t) => [primaryKey({ columns: [t.subject, t.windowStart] })],
);

/** The one-time link by which the first person of a fresh installation becomes its owner. */
export const setupTokens = pgTable("setup_tokens", {
  /** SHA-256 of the token, hex: the token itself is only ever printed. */
  hash: text("hash").primaryKey(),
  createdAt: createdAt(),
  usedAt: unixMs("used_at"),
});
