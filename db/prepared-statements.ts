import { LRUCache } from "lru-cache";
import type { Sql, TransactionSql } from "postgres";

/** Executions before a statement is prepared. A statement with inlined values never reaches this count. */
const OFTEN = 16;
/** Prepared statements per connection; each takes some 50 kB in its backend. */
const MOST = 256;
const LONGEST_TEXT = 16_000;
/** Distinct texts counted at a time. */
const COUNTED = 1000;

type Queryable = Pick<Sql | TransactionSql, "unsafe">;

/**
 * Returns a postgres.js client that prepares frequent statements. Drizzle never prepares; each statement then costs a
 * second round trip (for its parameter types) and is parsed and planned again: a batch of 50 spans took a third longer,
 * reads a fifth longer. Postgres still plans for the actual values where its estimates favour that.
 */
export function withPreparedStatements(client: Sql): Sql {
  const counts = new LRUCache<string, number>({ max: COUNTED });
  const prepared = new Set<string>();

  function isOften(text: string) {
    if (prepared.has(text)) return true;
    if (prepared.size >= MOST || text.length > LONGEST_TEXT) return false;
    const times = (counts.get(text) ?? 0) + 1;
    counts.set(text, times);
    if (times < OFTEN) return false;
    counts.delete(text);
    prepared.add(text);
    return true;
  }

  function prepares<T extends Queryable>(queryable: T): T {
    const unsafe = queryable.unsafe as (text: string, parameters?: never[], options?: object) => unknown;
    return Object.assign(queryable, {
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
