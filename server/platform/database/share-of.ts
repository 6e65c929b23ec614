import { drizzle } from "drizzle-orm/postgres-js";
import type { Sql, TransactionSql } from "postgres";
import type { Db } from "@/db/client";
import { createPlaces, type Occupancy, vacant } from "./places";

type Places = ReturnType<typeof createPlaces>;

/**
 * On globalThis, as the pool is: Next's pages and routes are two bundles that share it, and so have to share its places. Each
 * refuses with an error class of its own, so what is shared is data alone.
 */
const shared = globalThis as { whetstoneOccupancy?: WeakMap<object, Occupancy> };
shared.whetstoneOccupancy ??= new WeakMap();
const occupancies = shared.whetstoneOccupancy;

const placesByClient = new WeakMap<object, Places>();

function placesOf(client: Sql): Places {
  const occupancy = occupancies.get(client) ?? vacant(client.options.max);
  occupancies.set(client, occupancy);
  const places = placesByClient.get(client) ?? createPlaces(occupancy);
  placesByClient.set(client, places);
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
