import { AsyncLocalStorage } from "node:async_hooks";
import type { Sql, TransactionSql } from "postgres";

// On globalThis, as the pool is: whoever asks may be of another bundle of the same process.
const shared = globalThis as { whetstoneTransaction?: AsyncLocalStorage<boolean> };
shared.whetstoneTransaction ??= new AsyncLocalStorage<boolean>();
const transaction = shared.whetstoneTransaction;

/** Returns whether the caller runs within the work of a transaction, however deep. */
export const insideTransaction = () => transaction.getStore() === true;

/** Runs work that calls another server while a transaction is open: for where its locks are what keeps that from happening twice. */
export const allowNetworkUnderLock = <T>(work: () => T): T => transaction.run(false, work);

/** A client of postgres.js whose transactions know that they are one, by whichever door of Drizzle they are opened. */
export function trackTransactions(client: Sql): Sql {
  const begin = client.begin as (...given: unknown[]) => unknown;
  return Object.assign(client, {
    begin: (...given: unknown[]) => {
      const work = given.pop() as (tx: TransactionSql) => unknown;
      return begin(...given, (tx: TransactionSql) => transaction.run(true, () => work(tx)));
    },
  });
}
