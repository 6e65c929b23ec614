import { createLoader, createSerializer, parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import { downloadHref } from "@/app/_lib/download-href";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { usageNames } from "@/app/p/[projectId]/_components/costs/usage-words";
import { DAY_RANGE_VALUES, daysOf } from "@/app/p/[projectId]/costs/_components/day-range";
import { DAY_MS } from "@/server/platform/durations";
import { COST_GROUPS, type CostGroup, type Costs } from "@/server/services/costs/schemas";
import { viewParsers as conversationParsers } from "../../conversations/_components/view";
import { priceHref } from "../../prices/_components/view";

/** The scope of the table by day in the URL: its order, and the open day. */
export const DAYS_SCOPE = "days";

/** The page's state, stored in the URL. */
export const viewParsers = {
  by: parseAsStringLiteral(COST_GROUPS).withDefault("model"),
  range: parseAsStringLiteral(DAY_RANGE_VALUES).withDefault("30d"),
  from: parseAsInteger,
  to: parseAsInteger,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** Groups with a colour of their own; the others share one. */
const SHOWN = 8;

/** `now` is passed in, so that server and browser send the same query. */
export const costsInput = (projectId: string, view: View, now: number) => ({
  projectId,
  ...daysOf(view, now),
  groupBy: view.by,
  top: SHOWN,
});

/** The same for as many days before those, to compare with. */
export function costsInputBefore(projectId: string, view: View, now: number) {
  const { from, to, ...input } = costsInput(projectId, view, now);
  return { ...input, from: from - (to - from), to: from };
}

/**
 * The URL of the same days as a file: by label or user if grouped so, else by everything that determines a call's price.
 */
export function csvHref(projectId: string, view: View, now: number) {
  const groupBy = view.by === "label" || view.by === "user" ? view.by : undefined;
  return downloadHref(projectId, "costs.csv", { ...daysOf(view, now), groupBy });
}

/** The groupings of table and chart: the name of the choice, of the column, and of "none". */
export const GROUP_WORDS: Record<CostGroup, { choice: string; one: string; none: string }> = {
  model: { choice: "Model", one: "Model", none: "Model not specified" },
  vendor: { choice: "Vendor", one: "Vendor of the price", none: "No price" },
  provider: { choice: "Provider", one: "Provider, as sent by clients", none: "Provider not specified" },
  label: { choice: "Label", one: "Label of the conversation", none: "No label" },
  user: { choice: "User", one: "User of the application", none: "No user" },
  modelPriceId: { choice: "Price", one: "Price", none: "No price" },
};

export type Series = Costs["series"][number];

/** A group's noun. */
export const groupWord = (groupBy: CostGroup) => (groupBy === "modelPriceId" ? "price" : groupBy);

/** A row of the table; the one of the groups without a row of their own is `others`. */
export type Row = Costs["rows"][number] & { others?: true };

/** Returns the groups, and one row for the sum of those left out. */
export const rowsOf = ({ rows, rest }: Costs): Row[] => (rest ? [...rows, { key: null, ...rest, others: true }] : rows);

/** Returns a group's readable name. */
export function groupName(groupBy: CostGroup, { key, others = false }: { key: string | null; others?: boolean }) {
  if (others) return "Others";
  if (key === null) return GROUP_WORDS[groupBy].none;
  return groupBy === "vendor" && key in VENDOR_WORDS ? VENDOR_WORDS[key as keyof typeof VENDOR_WORDS] : key;
}

const conversationsSearch = createSerializer(conversationParsers);
const costsSearch = createSerializer(viewParsers);

type Days = { from: number; to: number };
/** Returns the one day (UTC) that begins at a time. */
export const dayFrom = (from: number): Days => ({ from, to: from + DAY_MS });

/** Returns the page with a group's details, if there is one. */
export function groupHref(projectId: string, { groupBy, from, to }: Days & { groupBy: CostGroup }, key: string | null) {
  if (groupBy === "user")
    return conversationsHref(projectId, { from, to }, key === null ? { hasUser: false } : { user: key });
  if (key === null) return null;
  if (groupBy === "modelPriceId") return priceHref(projectId, key);
  if (groupBy !== "model" && groupBy !== "label") return null;
  return conversationsHref(projectId, { from, to }, { [groupBy]: [key] });
}

/** Returns the URL of the costs of some days. */
export const costsHref = (projectId: string, { from, to }: Days) =>
  `/p/${encodeURIComponent(projectId)}/costs${costsSearch({ range: "custom", from, to })}`;

/** Returns the URL of the conversations of some days, narrowed by filters of the list. */
export const conversationsHref = (
  projectId: string,
  { from, to }: Days,
  of: {
    model?: string[];
    label?: string[];
    user?: string;
    hasUser?: boolean;
    findings?: boolean;
    errors?: boolean;
    feedback?: boolean;
    thumbsDown?: boolean;
  } = {},
) => `/p/${encodeURIComponent(projectId)}/conversations${conversationsSearch({ ...of, range: "custom", from, to })}`;

const BUCKETS_MAX = 7;

/** The buckets with a column of their own, and those that share one. */
export function bucketColumns(usage: Record<string, number>) {
  const used = usageNames(usage);
  return { shown: used.slice(0, BUCKETS_MAX), more: used.slice(BUCKETS_MAX) };
}
