import { createLoader, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";

export const STATUSES = ["queued", "running", "completed", "skipped", "failed"] as const;
export const ORIGINS = ["automatic", "on_demand", "backfill"] as const;
export const ORIGIN_WORD = { automatic: "Automatic", on_demand: "On demand", backfill: "Backfill" } as const;

export const viewParsers = {
  status: parseAsStringLiteral(STATUSES),
  origin: parseAsStringLiteral(ORIGINS),
  rule: parseAsString,
  conversation: parseAsString,
  hide: parseAsArrayOf(parseAsString).withDefault([]),
  peek: parseAsString,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

export const listInput = (projectId: string, view: View) => ({
  projectId,
  limit: 100,
  ...(view.status !== null ? { status: view.status } : {}),
  ...(view.origin !== null ? { origin: view.origin } : {}),
  ...(view.rule !== null ? { ruleId: view.rule } : {}),
  ...(view.conversation?.trim() ? { conversationId: view.conversation.trim() } : {}),
});

export const isFiltered = (view: View) =>
  view.status !== null || view.origin !== null || view.rule !== null || view.conversation !== null;
export const NO_FILTERS = { status: null, origin: null, rule: null, conversation: null };
