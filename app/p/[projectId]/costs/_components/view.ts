import { createLoader, createSerializer, parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import { VENDOR_WORDS } from "@/app/p/[projectId]/_components/costs/price-words";
import { usageNames } from "@/app/p/[projectId]/_components/costs/usage-words";
import { DAY_RANGE_VALUES, daysOf } from "@/app/p/[projectId]/costs/_components/day-range";
import { COST_GROUPS, type CostGroup, type Costs } from "@/server/services/costs/schemas";
import { viewParsers as conversationParsers } from "../../conversations/_components/view";
import { priceHref } from "../../prices/_components/view";

/** Everything this page shows, as the address has it. */
export const viewParsers = {
  by: parseAsStringLiteral(COST_GROUPS).withDefault("model"),
  range: parseAsStringLiteral(DAY_RANGE_VALUES).withDefault("30d"),
  from: parseAsInteger,
  to: parseAsInteger,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** Groups that have a colour of their own; the others share one. */
const SHOWN = 8;

/** `now` is passed in, so that server and browser ask the same. */
export const costsInput = (projectId: string, view: View, now: number) => ({
  projectId,
  ...daysOf(view, now),
  groupBy: view.by,
  top: SHOWN,
});

/** The same days as a file: by label when they are shown so, else by all that a call is priced by. */
export function csvHref(projectId: string, view: View, now: number) {
  const { from, to } = daysOf(view, now);
  const by = view.by === "label" ? "&groupBy=label" : "";
  return `/v1/projects/${encodeURIComponent(projectId)}/costs.csv?from=${from}&to=${to}${by}`;
}

/** What the table and the picture are put together by: a word for the choice, one for the column, one for "none". */
export const GROUP_WORDS: Record<CostGroup, { choice: string; one: string; none: string }> = {
  model: { choice: "Model", one: "Model", none: "No model named" },
  vendor: { choice: "Vendor", one: "Vendor of the price", none: "No price" },
  provider: { choice: "Provider", one: "Provider, as clients name it", none: "No provider named" },
  label: { choice: "Label", one: "Label of the conversation", none: "No label" },
  modelPriceId: { choice: "Price", one: "Price", none: "No price" },
};

export type Series = Costs["series"][number];

/** A group as people read it. */
export function groupName(groupBy: CostGroup, { key, others = false }: { key: string | null; others?: boolean }) {
  if (others) return "Others";
  if (key === null) return GROUP_WORDS[groupBy].none;
  return groupBy === "vendor" && key in VENDOR_WORDS ? VENDOR_WORDS[key as keyof typeof VENDOR_WORDS] : key;
}

const conversationsSearch = createSerializer(conversationParsers);

/** Where what is behind a group is seen, when a page can show it. */
export function groupHref(projectId: string, { groupBy, from, to }: Costs, key: string | null) {
  if (key === null) return null;
  if (groupBy === "modelPriceId") return priceHref(projectId, key);
  if (groupBy !== "model" && groupBy !== "label") return null;
  const search = conversationsSearch({ [groupBy]: key, range: "custom", from, to });
  return `/p/${encodeURIComponent(projectId)}/conversations${search}`;
}

const COLOURS = 10;

/** Of each key the number of its colour: mostly the same whatever else is shown, and no two of up to ten the same. */
export function coloursOf(keys: readonly (string | null)[]): number[] {
  const taken = new Set<number>();
  return keys.map((key) => {
    let colour = hash(key ?? "") % COLOURS;
    for (let tries = 1; tries < COLOURS && taken.has(colour); tries++) colour = (colour + 1) % COLOURS;
    taken.add(colour);
    return colour;
  });
}

/** FNV-1a. */
function hash(text: string) {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}

const BUCKETS_MAX = 7;

/** What gets a column of its own, and what is told together. */
export function bucketColumns(usage: Record<string, number>) {
  const used = usageNames(usage);
  return { shown: used.slice(0, BUCKETS_MAX), more: used.slice(BUCKETS_MAX) };
}
