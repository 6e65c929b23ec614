import { createLoader, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { listParsers, sortInput } from "@/app/_components/data-table/list-view";
import { RUN_OUTCOMES } from "@/server/services/diagnostics/schemas";

export const STATUSES = ["queued", "running", "completed", "skipped", "failed"] as const;
export const ORIGINS = ["automatic", "on_demand", "backfill"] as const;
export const OUTCOMES = [
  { value: "found", label: "Found something" },
  { value: "nothing", label: "Found nothing" },
] as const satisfies readonly { value: (typeof RUN_OUTCOMES)[number]; label: string }[];
export const ORIGIN_WORD = { automatic: "Automatic", on_demand: "On demand", backfill: "Backfill" } as const;

export const viewParsers = {
  status: parseAsStringLiteral(STATUSES),
  outcome: parseAsStringLiteral(RUN_OUTCOMES),
  origin: parseAsStringLiteral(ORIGINS),
  rule: parseAsString,
  conversation: parseAsString,
  backfill: parseAsString,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** The server's orders by column. */
const SORTS = { created: "created", took: "duration", attempts: "attempts" } as const;

export const listInput = (projectId: string, view: View) => ({
  projectId,
  limit: 100,
  ...(view.status !== null ? { status: view.status } : {}),
  ...(view.outcome !== null ? { outcome: view.outcome } : {}),
  ...(view.origin !== null ? { origin: view.origin } : {}),
  ...(view.rule !== null ? { ruleId: view.rule } : {}),
  ...(view.backfill !== null ? { backfillId: view.backfill } : {}),
  ...(view.conversation?.trim() ? { conversationId: view.conversation.trim() } : {}),
  ...sortInput(view.sort, SORTS),
});

export const isFiltered = (view: View) =>
  view.status !== null ||
  view.outcome !== null ||
  view.origin !== null ||
  view.rule !== null ||
  view.conversation !== null ||
  view.backfill !== null;
export const NO_FILTERS = { status: null, outcome: null, origin: null, rule: null, conversation: null, backfill: null };
