/** The app id in Inngest and the prefix of every function id. Stored in runs, so it must not change. */
export const APP_ID = "whetstone";

type Entry = {
  /** Shown to people. */
  name: string;
  /** Stopping halfway would be worse than either end state, so it cannot be cancelled. */
  uncancellable?: true;
};

/** Every background function. Separate from the functions themselves, so that services can name them without importing them. */
const CATALOGUE = {
  "run-rules": { name: "Execute Rule Runs" },
  "fail-cancelled-rule-runs": { name: "Mark cancelled Rule Runs as failed", uncancellable: true },
  "diagnose-quiet-conversations": { name: "Queue Rule Runs for inactive conversations" },
  "diagnose-selected-conversations": { name: "Queue Rule Runs for selected conversations" },
  backfill: { name: "Queue the Rule Runs of a backfill", uncancellable: true },
  "import-examples": { name: "Import Examples from a file", uncancellable: true },
  "collect-examples": { name: "Collect Examples from settled conversations" },
  "collection-pass": { name: "Collect Examples from past conversations", uncancellable: true },
  "recount-findings": { name: "Recount large Findings" },
  "record-interrupted-calls": { name: "Record calls of models whose process ended" },
  "measure-fixes": { name: "Measure whether fixes hold" },
  "delete-data": { name: "Delete a user's or a project's data", uncancellable: true },
  "delete-dataset": { name: "Delete the Examples of a deleted Dataset", uncancellable: true },
  "load-sample": { name: "Load the sample project", uncancellable: true },
  "recount-user-days": { name: "Recount costs by user" },
  reprice: { name: "Reprice stored costs", uncancellable: true },
  "schedule-housekeeping": { name: "Schedule daily housekeeping" },
  "keep-house": { name: "Delete expired data", uncancellable: true },
  "compact-content": { name: "Deduplicate stored content" },
  "measure-storage": { name: "Measure stored size" },
  "send-mail": { name: "Send an e-mail" },
  "mail-forgotten-password": { name: "Send a password reset e-mail" },
  "forget-old-mail": { name: "Delete e-mails with expired links" },
  "queue-notices": { name: "Queue notifications about Findings" },
  "send-delivery": { name: "Send a message to a webhook" },
  "evaluate-alerts": { name: "Evaluate alerts" },
  "sync-work-item": { name: "Create, change or read a ticket" },
  "schedule-trackers": { name: "Schedule handoffs and ticket syncs" },
  "poll-trackers": { name: "Check for changed tickets" },
  "watch-trainers": { name: "Check trainer capabilities" },
  "evaluate-tuning-triggers": { name: "Start triggered training jobs" },
  "rewrap-secrets": { name: "Rewrap stored secrets under a new key" },
  "run-training-job": { name: "Run a training job on its trainer" },
  "poll-training-jobs": { name: "Check unfinished training jobs" },
  "remove-training-files": { name: "Delete the files of deleted training", uncancellable: true },
  "run-deployment": { name: "Start, monitor and stop a deployment" },
  "poll-deployments": { name: "Check deployments" },
  "run-rollout": { name: "Decide on an automatic deployment" },
  "run-evaluation": { name: "Compare the answers of two models" },
  "judge-evaluation": { name: "Ask a model to judge answers" },
  "poll-evaluations": { name: "Check unfinished evaluations" },
  "run-parity-certificate": { name: "Compare built formats with their checkpoint" },
  "run-model-export": { name: "Publish a model to a hub" },
  "poll-certificates-and-exports": { name: "Check unfinished certificates and exports" },
} as const satisfies Record<string, Entry>;
export type FunctionName = keyof typeof CATALOGUE;

/** Returns a function's id and name: `createFunction({ ...functionOptions("run-rules"), triggers: … })`. */
export const functionOptions = <Name extends FunctionName>(id: Name) => ({ id, name: CATALOGUE[id].name });

const FAILURE_SUFFIX = "-failure";

/** Returns the catalogue entry for a run's function id. `afterFailure`: the run is of the function's failure handler. */
export function describeFunction(functionId: string): Entry & { afterFailure: boolean } {
  const afterFailure = functionId.endsWith(FAILURE_SUFFIX);
  const id = functionId.slice(APP_ID.length + 1, afterFailure ? -FAILURE_SUFFIX.length : undefined);
  const entry: Entry = Object.hasOwn(CATALOGUE, id) ? CATALOGUE[id as FunctionName] : { name: functionId };
  return { ...entry, ...(afterFailure ? { uncancellable: true } : {}), afterFailure };
}
