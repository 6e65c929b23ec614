import { LRUCache } from "lru-cache";
import type { Sql, TransactionSql } from "postgres";

/** As often a statement is asked for before it is prepared: one that has a few values in its text never comes that far. */
const OFTEN = 16;
/** Each is kept by every connection, some 50 kB in its backend. */
const MOST = 256;
const LONGEST_TEXT = 16_000;
/** Texts that are counted at a time. */
const COUNTED = 1000;

type Asks = Pick<Sql | TransactionSql, "unsafe">;

/**
 * A client of postgres.js whose frequent statements are prepared. Drizzle leaves that out, and then each costs a second way
 * to the database and back (for the types of its parameters), and is read and planned anew: a batch of 50 spans took a
 * third longer, reads a fifth. Postgres goes on to plan for the values where its estimates say that this pays.
 */
export function withPreparedStatements(client: Sql): Sql {
  const asked = new LRUCache<string, number>({ max: COUNTED });
  const prepared = new Set<string>();

  function isOften(text: string) {
    if (prepared.has(text)) return true;
    if (prepared.size >= MOST || text.length > LONGEST_TEXT) return false;
    const times = (asked.get(text) ?? 0) + 1;
    asked.set(text, times);
    if (times < OFTEN) return false;
    asked.delete(text);
    prepared.add(text);
    return true;
  }

  function prepares<T extends Asks>(asks: T): T {
    const unsafe = asks.unsafe as (text: string, parameters?: never[], options?: object) => unknown;
    return Object.assign(asks, {
      unsafe: (text: string, parameters: never[] = [], options?: object) =>
        unsafe(text, parameters, parameters.length > 0 && isOften(text) ? { ...options, prepare: true } : options),
    });
  }

  function within(run: (...given: never[]) => unknown) {
    return (...given: unknown[]) => {
      const work = given.pop() as (tx: TransactionSql) => unknown;
      return run(...([...given, (tx: TransactionSql) => work(inTransaction(tx))] as never[]));
    };
  }
  const inTransaction = (tx: TransactionSql): TransactionSql =>
    Object.assign(prepares(tx), { savepoint: within(tx.savepoint) });

  return Object.assign(prepares(client), { begin: within(client.begin) });
}
