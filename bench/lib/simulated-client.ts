import { once } from "node:events";
import { startClients } from "./client-process";
import type { Paced } from "./pace";
import type { Answer, Order, SimulatedClient } from "./simulated-client-process";

/** Starts a project's clients, see `startClients`. */
export function startSimulatedClient(client: SimulatedClient, { background = false } = {}) {
  const child = startClients(new URL("./simulated-client-process.ts", import.meta.url), client, { background });
  const gone = once(child, "exit").then(([code]) => Promise.reject(new Error(`a client's process ended with ${code}`)));
  gone.catch(() => {}); // expected at the end; earlier, pending orders reject
  const order = async (what: Order): Promise<Answer> => {
    const answered = once(child, "message");
    child.send(what);
    const [answer] = (await Promise.race([answered, gone])) as [Answer];
    if (answer && "error" in answer) throw new Error(answer.error);
    return answer;
  };
  return {
    /** Sends this many spans as fast as they are accepted. */
    store: (spans: number) => order({ kind: "store", spans }),
    read: (times: number) => order({ kind: "read", times }),
    /** Sends and reads at a pace (per second) for `ms`. */
    work: async (pace: { batches: number; reads: number; ms: number }) =>
      (await order({ kind: "work", ...pace })) as { ingest: Paced; reads: Paced },
    close: () => child.connected && child.disconnect(),
  };
}
