import { and, gt, isNotNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { outgoingMail } from "@/db/schema";

/** Returns the unsent e-mails whose links have not expired, oldest first. */
export const unsentMail = (db: Db) =>
  db
    .select({ id: outgoingMail.id, projectId: outgoingMail.projectId })
    .from(outgoingMail)
    .where(and(isNotNull(outgoingMail.sealed), gt(outgoingMail.expiresAt, NOW)))
    .orderBy(outgoingMail.createdAt, outgoingMail.id);
