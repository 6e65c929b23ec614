import { Socket } from "node:net";
import { insideTransaction } from "../inside-transaction";

type Where = { port?: number | string; path?: string };

/** Returns the target of a `connect` call: options, a port, a path, or the normalized arguments of `net.connect`. */
function whereTo(given: unknown[]): Where {
  const [first] = Array.isArray(given[0]) ? given[0] : given;
  if (typeof first === "object" && first !== null) return first;
  return typeof first === "number" ? { port: first } : { path: String(first) };
}

const REFUSES = Symbol.for("whetstone: connections inside transactions are refused");

/** Makes every connection opened inside a transaction fail, whichever library opens it, except to the database itself. */
export function refuseNetworkInsideTransactions() {
  const socket = Socket.prototype as Socket & { [REFUSES]?: true };
  if (socket[REFUSES]) return; // by an earlier test file of this process
  socket[REFUSES] = true;
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
