import { insideTransaction } from "@/db/inside-transaction";

export { insideTransaction };

/**
 * Throws where a transaction is open: one that waits for somebody else's server holds its locks and its connection as long as
 * that takes, and what was said there is not undone with it.
 */
export function refuseInsideTransaction(what: string) {
  if (insideTransaction()) {
    throw new Error(
      `${what} inside a transaction. Do it before, after, or in a step of a job: see docs/decisions/outbound.md.`,
    );
  }
}
