import { is } from "drizzle-orm";
import { PgTransaction } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { errorCodes } from "../known-error";

/** SQLSTATE of the one that Postgres chose to end, of two transactions that each waited for the other. */
const DEADLOCK = "40P01";
const TRIES = 3;

/**
 * Everything in `work` commits or nothing does. Work that lost to a deadlock is done again from its beginning, when the
 * other has passed: so it may run several times, and acts on the database alone.
 */
export async function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  // Part of an open transaction keeps the locks of the whole: only the whole can get out of the way.
  const tries = is(db, PgTransaction) ? 1 : TRIES;
  for (let n = 1; ; n++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      if (n === tries || !errorCodes(error).includes(DEADLOCK)) throw error;
    }
  }
}
