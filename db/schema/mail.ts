import { index, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "./columns";
import { MAIL_KINDS } from "./enumerations";
import { projects } from "./projects";

/** E-mails that wait to be sent, and when those that were sent went out. Global: some concern a person and no project. */
export const outgoingMail = pgTable(
  "outgoing_mail",
  {
    id: text("id").primaryKey(),
    /** The project that it is about, with which it falls. */
    projectId: text("project_id").references(() => projects.id, { onDelete: "cascade" }),
    kind: text("kind", { enum: MAIL_KINDS }).notNull(),
    /** To whom and what, sealed, because a link in it lets somebody in; null once it was sent or refused. */
    sealed: text("sealed"),
    createdAt: createdAt(),
    /** When its link opens nothing any more. */
    expiresAt: unixMs("expires_at").notNull(),
    sentAt: unixMs("sent_at"),
    /** When the mail server said that it will never take it. */
    refusedAt: unixMs("refused_at"),
  },
  (t) => [index("outgoing_mail_expiry").on(t.expiresAt), index("outgoing_mail_project").on(t.projectId)],
);
