/** The name of this app in Inngest, and the prefix of every function's id: stored in runs, so it stays. */
export const APP_ID = "whetstone";

type Entry = {
  /** What a person reads. */
  name: string;
  /** Half of its work undone would be worse than all of it, so nobody may cancel it. */
  uncancellable?: true;
};

/** Every background function. Kept apart from the functions, so that services know them by name without knowing them. */
const CATALOGUE = {
  "run-rules": { name: "Execute Rule Runs" },
  "fail-cancelled-rule-runs": { name: "Mark cancelled Rule Runs as failed", uncancellable: true },
  "diagnose-quiet-conversations": { name: "Queue Rule Runs for conversations that have gone quiet" },
  "recount-findings": { name: "Count large Findings anew" },
  "delete-data": { name: "Delete a user's or a project's data", uncancellable: true },
  reprice: { name: "Compute stored costs anew", uncancellable: true },
  "schedule-housekeeping": { name: "Tell every project's daily housekeeping" },
  "keep-house": { name: "Delete what is no longer kept", uncancellable: true },
  "measure-storage": { name: "Measure stored size" },
  "send-mail": { name: "Send an e-mail" },
  "mail-forgotten-password": { name: "Mail a link for a new password" },
  "forget-old-mail": { name: "Forget e-mails whose links have run out" },
  "rewrap-secrets": { name: "Rewrap stored secrets under a new key" },
} as const satisfies Record<string, Entry>;
export type FunctionName = keyof typeof CATALOGUE;

/** How a function begins: `createFunction({ ...functionOptions("run-rules"), triggers: … })`. */
export const functionOptions = <Name extends FunctionName>(id: Name) => ({ id, name: CATALOGUE[id].name });

const OF_FAILURE = "-failure";

/** What is known of a function by the id that a run carries. `after` a failure its handler has a run of its own. */
export function describeFunction(functionId: string): Entry & { afterFailure: boolean } {
  const afterFailure = functionId.endsWith(OF_FAILURE);
  const id = functionId.slice(APP_ID.length + 1, afterFailure ? -OF_FAILURE.length : undefined);
  const entry: Entry = Object.hasOwn(CATALOGUE, id) ? CATALOGUE[id as FunctionName] : { name: functionId };
  return { ...entry, ...(afterFailure ? { uncancellable: true } : {}), afterFailure };
}
