import { is } from "drizzle-orm";
import { PgTransaction } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { errorCodes } from "../logging/known-error";

/** SQLSTATE of a transaction that Postgres aborted to break a deadlock. */
const DEADLOCK = "40P01";
const ATTEMPTS = 3;

/**
 * Runs `work` in one transaction. After a deadlock it is retried from the start, so it may run several times and must act on
 * the database alone.
 */
export async function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  // A savepoint keeps the locks of the outer transaction: only that one can be retried.
  const attempts = is(db, PgTransaction) ? 1 : ATTEMPTS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (attempt === attempts || !errorCodes(error).includes(DEADLOCK)) throw error;
    }
  }
}
