import { createLoader, parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { DAY_RANGE_VALUES, daysOf } from "../../../costs/_components/day-range";

export const TABS = ["versions", "labels", "read"] as const;

/** The page's state, stored in the URL: its tab, the days of its numbers, and the list's own state. */
export const viewParsers = {
  tab: parseAsStringLiteral(TABS).withDefault("versions"),
  range: parseAsStringLiteral(DAY_RANGE_VALUES).withDefault("30d"),
  from: parseAsInteger,
  to: parseAsInteger,
  ...listParsers,
};
export const loadView = createLoader(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

export const versionsInput = (projectId: string, promptName: string) => ({ projectId, promptName, limit: 50 });

/** `now` is passed in, so that server and browser send the same query. */
export const usageInput = (
  projectId: string,
  promptName: string,
  view: Pick<View, "range" | "from" | "to">,
  now: number,
) => ({ projectId, promptName, ...daysOf(view, now) });

export type Usage = RouterOutputs["prompts"]["usage"]["versions"][number];
export type Prompt = Omit<RouterOutputs["prompts"]["versions"], "versions" | "pagination">;

/** Returns the numbers of each version by the name that its calls give it. */
export const usageByVersion = (usage: readonly Usage[]): ReadonlyMap<string | null, Usage> =>
  new Map(usage.map((one) => [one.version, one]));

/** Returns the numbers of versions that calls name and that the prompt does not have. */
export const usedElsewhere = (usage: readonly Usage[], latestVersion: number): Usage[] =>
  usage.filter(({ version }) => !/^[1-9]\d*$/.test(version ?? "") || Number(version) > latestVersion);
