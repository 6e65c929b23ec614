import { index, pgTable, text } from "drizzle-orm/pg-core";
import { createdAt, unixMs } from "../columns";
import { MAIL_KINDS } from "../enumerations";
import { projects } from "../projects";

/** Pending e-mails, and when sent ones went out. Not per project: some concern a person only. */
export const outgoingMail = pgTable(
  "outgoing_mail",
  {
    id: text("id").primaryKey(),
    /** The project concerned; the mail is deleted with it. */
    projectId: text("project_id").references(() => projects.id, { onDelete: "cascade" }),
    kind: text("kind", { enum: MAIL_KINDS }).notNull(),
    /** Recipient and content, sealed because a link in it grants access; null once sent or refused. */
    sealed: text("sealed"),
    createdAt: createdAt(),
    /** When the link in it expires. */
    expiresAt: unixMs("expires_at").notNull(),
    sentAt: unixMs("sent_at"),
    /** When the mail server rejected it permanently. */
    refusedAt: unixMs("refused_at"),
  },
  (t) => [index("outgoing_mail_expiry").on(t.expiresAt), index("outgoing_mail_project").on(t.projectId)],
);
