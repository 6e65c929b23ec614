import { Socket } from "node:net";
import { insideTransaction } from "../inside-transaction";

type Where = { port?: number | string; path?: string };

/** What `connect` is called with: options, a port, a path, or what `net.connect` made of them. */
function whereTo(given: unknown[]): Where {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  if (typeof first === "object" && first !== null) return first;
  return typeof first === "number" ? { port: first } : { path: String(first) };
}

/** Fails every connection that is opened inside a transaction, by whichever library, but for the database's own. */
export function refuseNetworkInsideTransactions() {
  const databasePort = Number(new URL(process.env.DATABASE_URL ?? "").port || 5432);
  const connect = Socket.prototype.connect as (...given: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    const { port } = whereTo(given);
    if (insideTransaction() && Number(port) !== databasePort) {
      throw new Error("A connection to another server is opened inside a transaction.");
    }
    return connect.apply(this, given);
  };
}
