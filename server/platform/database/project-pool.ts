import { drizzle } from "drizzle-orm/postgres-js";
import type { Sql, TransactionSql } from "postgres";
import type { Db } from "@/db/client";
import { type BulkheadState, createBulkhead, emptyBulkhead } from "./bulkhead";

type Bulkhead = ReturnType<typeof createBulkhead>;

/**
 * On globalThis, like the pool itself: Next's pages and routes are two bundles that share it, and so must share its bulkhead.
 * Each bundle has its own error class, so only the plain state is shared.
 */
const shared = globalThis as { whetstoneBulkheads?: WeakMap<object, BulkheadState> };
shared.whetstoneBulkheads ??= new WeakMap();
const states = shared.whetstoneBulkheads;

const bulkheadByClient = new WeakMap<object, Bulkhead>();

function bulkheadOf(client: Sql): Bulkhead {
  const state = states.get(client) ?? emptyBulkhead(client.options.max);
  states.set(client, state);
  const bulkhead = bulkheadByClient.get(client) ?? createBulkhead(state);
  bulkheadByClient.set(client, bulkhead);
  return bulkhead;
}

/** Wraps what Drizzle uses of a postgres.js client, so that each statement and each transaction holds one of the project's slots. */
function throughBulkhead(client: Sql, bulkhead: Bulkhead, projectId: string) {
  return {
    options: client.options,
    unsafe(query: string, parameters?: never[], options?: object) {
      let asValues = false;
      const execute = () => {
        const pending = client.unsafe(query, parameters, options);
        return (asValues ? pending.values() : pending) as PromiseLike<unknown>;
      };
      // Deferred by a microtask, as postgres.js itself does: `.values()` is called on the returned promise.
      const result = Promise.resolve().then(() => bulkhead.run(projectId, execute));
      return Object.assign(result, {
        values() {
          asValues = true;
          return result;
        },
      });
    },
    begin: (...args: [string, (tx: TransactionSql) => Promise<unknown>]) =>
      bulkhead.run(projectId, () => client.begin(...args)),
  };
}

/**
 * Returns the pool limited to one project's share of its connections, so that a project with slow or many statements does
 * not block the others. An open transaction is returned as is: it holds its slot already.
 */
export function projectPool(db: Db, projectId: string): Db {
  const client = "$client" in db ? (db.$client as Sql) : undefined;
  if (!client) return db;
  return drizzle(throughBulkhead(client, bulkheadOf(client), projectId) as unknown as Sql) as unknown as Db;
}
