import type { Db } from "@/db/client";
import { closePool, openPool } from "@/db/pool";

/** Opens the database for one command and closes it afterwards, so that the process can exit. */
export const withDatabase = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  try {
    return await work(openPool({ statementSeconds: 0 }).db);
  } finally {
    await closePool();
  }
};
