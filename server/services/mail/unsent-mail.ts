import { and, gt, isNotNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { outgoingMail } from "@/db/schema";

/** Returns the e-mails that are yet to be sent and whose links still open something, oldest first. */
export const unsentMail = (db: Db) =>
  db
    .select({ id: outgoingMail.id, projectId: outgoingMail.projectId })
    .from(outgoingMail)
    .where(and(isNotNull(outgoingMail.sealed), gt(outgoingMail.expiresAt, NOW)))
    .orderBy(outgoingMail.createdAt, outgoingMail.id);
