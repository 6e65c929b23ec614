import { AsyncLocalStorage } from "node:async_hooks";
import type { Sql, TransactionSql } from "postgres";

// On globalThis, like the pool: the caller may belong to another bundle of the same process.
const shared = globalThis as { whetstoneTransaction?: AsyncLocalStorage<boolean> };
shared.whetstoneTransaction ??= new AsyncLocalStorage<boolean>();
const transaction = shared.whetstoneTransaction;

/** Returns whether the caller runs inside a transaction, at any depth. */
export const insideTransaction = () => transaction.getStore() === true;

/** Runs work that may call another server while a transaction is open, for cases where its locks prevent a duplicate call. */
export const allowNetworkUnderLock = <T>(work: () => T): T => transaction.run(false, work);

/** Returns a postgres.js client that tracks its open transactions, however Drizzle begins them. */
export function trackTransactions(client: Sql): Sql {
  const begin = client.begin as (...given: unknown[]) => unknown;
  return Object.assign(client, {
    begin: (...given: unknown[]) => {
      const work = given.pop() as (tx: TransactionSql) => unknown;
      return begin(...given, (tx: TransactionSql) => transaction.run(true, () => work(tx)));
    },
  });
}
