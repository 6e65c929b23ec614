import { fork } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import type { Paced } from "./pace";
import type { Answer, Order, Party } from "./party-process";

/**
 * A project's clients in a process of their own, as they are for the product: what one's have to do is nothing that another's
 * wait for, and is not measured as the product's. `background`: one whose own times do not matter gives way to the product,
 * whose cores real clients would not share.
 */
export function startParty(party: Party, { background = false } = {}) {
  const child = fork(new URL("./party-process.ts", import.meta.url), [JSON.stringify(party)]);
  if (background && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const gone = once(child, "exit").then(([code]) => Promise.reject(new Error(`a client's process ended with ${code}`)));
  gone.catch(() => {}); // at the end it is meant to; before, whoever waits is told
  const order = async (what: Order): Promise<Answer> => {
    const answered = once(child, "message");
    child.send(what);
    const [answer] = (await Promise.race([answered, gone])) as [Answer];
    if (answer && "error" in answer) throw new Error(answer.error);
    return answer;
  };
  return {
    /** Sends so many spans, as fast as they are taken. */
    store: (spans: number) => order({ kind: "store", spans }),
    read: (times: number) => order({ kind: "read", times }),
    /** Sends and reads at a pace (per second) for so long. */
    work: async (pace: { batches: number; reads: number; ms: number }) =>
      (await order({ kind: "work", ...pace })) as { ingest: Paced; reads: Paced },
    close: () => child.connected && child.disconnect(),
  };
}
