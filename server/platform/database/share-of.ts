import { drizzle } from "drizzle-orm/postgres-js";
import type { Sql, TransactionSql } from "postgres";
import type { Db } from "@/db/client";
import { createPlaces } from "./places";

type Places = ReturnType<typeof createPlaces>;

/** On globalThis, as the pool is: the doors of one process share the pool, and so have to share its places. */
const kept = globalThis as { whetstonePlaces?: WeakMap<object, Places> };

function placesOf(client: Sql): Places {
  kept.whetstonePlaces ??= new WeakMap();
  const places = kept.whetstonePlaces.get(client) ?? createPlaces(client.options.max);
  kept.whetstonePlaces.set(client, places);
  return places;
}

/** What Drizzle asks of a client of postgres.js, each statement and each transaction in a place of the project's. */
function inPlaces(client: Sql, places: Places, projectId: string) {
  return {
    options: client.options,
    unsafe(query: string, parameters?: never[], options?: object) {
      let asValues = false;
      const ask = () => {
        const asked = client.unsafe(query, parameters, options);
        return (asValues ? asked.values() : asked) as PromiseLike<unknown>;
      };
      // A turn later, as postgres.js itself does: whether values are wanted is said after the call.
      const answer = Promise.resolve().then(() => places.hold(projectId, ask));
      return Object.assign(answer, {
        values() {
          asValues = true;
          return answer;
        },
      });
    },
    begin: (...given: [string, (tx: TransactionSql) => Promise<unknown>]) =>
      places.hold(projectId, () => client.begin(...given)),
  };
}

/**
 * The pool as one project may use it: of its connections it never has all, so that a project whose statements are slow, or
 * many, keeps nobody else's waiting. An open transaction is answered as it is: it has its place already.
 */
export function shareOf(db: Db, projectId: string): Db {
  const client = "$client" in db ? (db.$client as Sql) : undefined;
  if (!client) return db;
  return drizzle(inPlaces(client, placesOf(client), projectId) as unknown as Sql) as unknown as Db;
}
