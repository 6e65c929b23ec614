import { fork } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import type { Paced } from "./pace";
import type { Answer, Order, Party } from "./party-process";

/**
 * Starts a project's clients in a separate process, as they are in reality, so that one client's work neither delays
 * another's nor counts as the product's. `background`: lowers the priority of clients whose own times do not matter, because
 * real clients would not share the product's cores.
 */
export function startParty(party: Party, { background = false } = {}) {
  const child = fork(new URL("./party-process.ts", import.meta.url), [JSON.stringify(party)]);
  if (background && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
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
