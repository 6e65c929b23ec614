import { insideTransaction } from "@/db/inside-transaction";

export { insideTransaction };

/**
 * Throws inside a transaction: waiting for another server would hold its locks and its connection for as long as that takes,
 * and a rollback does not undo the call.
 */
export function refuseInsideTransaction(what: string) {
  if (insideTransaction()) {
    throw new Error(
      `${what} inside a transaction. Do it before, after, or in a step of a job: see docs/decisions/running/writes.md.`,
    );
  }
}
