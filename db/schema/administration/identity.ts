import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "../columns";
import { ROLES } from "../enumerations";
import { projects } from "../projects";

/** People who can sign in. Not per project: one person may belong to many. */
export const users = pgTable(
  "users",
  {
    id: text("id").primaryKey(),
    /** As typed; compared case-insensitively. */
    email: text("email").notNull(),
    name: text("name"),
    /** Null for people who sign in only through a provider. */
    passwordHash: text("password_hash"),
    /**
     * Whether the address was vouched for by the operator, the owner whose invitation named it, or the provider. A person who
     * joins through an open invitation can type any address.
     */
    emailProven: boolean("email_proven").notNull().default(true),
    /** When the password was last set through a link created by another person; null for never. */
    passwordResetAt: unixMs("password_reset_at"),
    /** The person who created that link; null for the operator. No foreign key: it outlives that person. */
    passwordResetBy: text("password_reset_by"),
    /** Manages people and grants rights outside any project. The person who sets up the installation is the first. */
    installationOwner: boolean("installation_owner").notNull().default(false),
    mayCreateProjects: boolean("may_create_projects").notNull().default(false),
    /** When the person was disabled; null for people who can sign in. */
    disabledAt: unixMs("disabled_at"),
    createdAt: createdAt(),
  },
  (t) => [uniqueIndex("users_email").on(sql`lower(${t.email})`)],
);

/**
 * A person's identity at an OpenID Connect provider. The issuer and subject identify them, not the address, which may pass
 * to another person. An account has at most one identity per provider.
 */
export const identities = pgTable(
  "identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The address last reported by the provider; the account keeps its own. */
    email: text("email"),
    createdAt: createdAt(),
    lastUsedAt: unixMs("last_used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), uniqueIndex("identities_user").on(t.userId, t.issuer)],
);

/** One row per signed-in browser; deleting it signs that browser out everywhere at once. */
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
    /** When the person acknowledged the password reset in this browser; null if they have not. */
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
    /** When the person last used the project, to the minute; null for never. */
    visitedAt: unixMs("visited_at"),
    /** When they last used it before the current visit; null if that is their first. */
    visitedBeforeAt: unixMs("visited_before_at"),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.userId] }), index("memberships_user").on(t.userId)],
);

/** Networks from which a person has authenticated: attempts from there are not limited as a stranger's. */
export const signInNetworks = pgTable(
  "sign_in_networks",
  {
    userId: text("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** HMAC of the IPv4 address or the IPv6 /64, so that locations cannot be read here. */
    network: text("network").notNull(),
    lastUsedAt: unixMs("last_used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.network] })],
);

/** Sign-in attempts by account and network in a time window; throttles guessing across processes. */
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
  /** SHA-256 of the token, hex: the token itself is only printed. */
  hash: text("hash").primaryKey(),
  createdAt: createdAt(),
  usedAt: unixMs("used_at"),
});
