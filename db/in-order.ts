import type { SQL } from "drizzle-orm";
import type { Db } from "./client";

/** Statements built and sent while an earlier one runs. Bounds the memory that their parameters take. */
const AHEAD = 4;

type AnyRow = Record<string, unknown>;

/**
 * Runs a transaction's statements in order, without a round trip for each: the next ones are sent while one runs. A
 * statement sees what the earlier ones have written. If one fails, the transaction can only be rolled back.
 */
export async function inOrder<Row extends AnyRow>(tx: Db, statements: Iterable<SQL>): Promise<Row[][]> {
  const sent: Promise<Row[]>[] = [];
  let done = 0;
  for (const statement of statements) {
    if (sent.length - done >= AHEAD) await sent[done++];
    // `then` sends it now. A failure surfaces where the first failed statement is awaited.
    const result = tx.execute<Row>(statement).then((rows) => [...rows] as Row[]);
    result.catch(() => {});
    sent.push(result);
  }
  return Promise.all(sent);
}
