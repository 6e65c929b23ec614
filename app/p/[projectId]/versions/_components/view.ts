import { createLoader, createSerializer, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { endsOf, RANGE_VALUES } from "@/app/_lib/time-range";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { serializeView as conversationsSearch } from "@/app/p/[projectId]/conversations/_components/view";
import { VERSION_DIMENSIONS, type VersionDimension } from "@/server/services/diagnostics/versions/schemas";

export type VersionsData = RouterOutputs["versions"]["list"];
type Listed = VersionsData["versions"][number];

/** The page's state, stored in the URL. */
export const viewParsers = {
  by: parseAsStringLiteral(VERSION_DIMENSIONS).withDefault("version"),
  baseline: parseAsString,
  compared: parseAsString,
  range: parseAsStringLiteral(RANGE_VALUES),
  from: parseAsInteger,
  to: parseAsInteger,
};
export const loadView = createLoader(viewParsers);
const serializeView = createSerializer(viewParsers);
export type View = Awaited<ReturnType<typeof loadView>>;

/** What the dimensions are called, one and several. */
export const DIMENSION_WORDS: Record<VersionDimension, { one: string; many: string }> = {
  version: { one: "Version", many: "Versions" },
  model: { one: "Model", many: "Models" },
  label: { one: "Label", many: "Labels" },
  prompt: { one: "Prompt", many: "Prompts" },
  arm: { one: "Arm", many: "Arms" },
};

const windowOf = (view: View, now: number) => {
  const { after, before } = endsOf(view, now);
  return {
    ...(after === undefined ? {} : { startedAfter: after }),
    ...(before === undefined ? {} : { startedBefore: before }),
  };
};

/** `now` is passed in, so that server and browser send the same query. */
export const listInput = (projectId: string, view: View, now: number) => ({
  projectId,
  by: view.by,
  ...windowOf(view, now),
});

/** The two values that are compared. */
export type Chosen = { baseline: string; compared: string };

export const compareInput = (projectId: string, view: View, chosen: Chosen, now: number) => ({
  ...listInput(projectId, view, now),
  ...chosen,
});

/** What a version is of: its service, if it is named after one. */
const serviceOf = (value: string) => value.slice(0, value.lastIndexOf(" ") + 1);

/**
 * Returns what the URL names or, by default, the newest value and the one before it: of the same service, if there is one. `null`
 * if there are not two.
 */
export function chosenOf(
  { by, baseline, compared }: Pick<View, "by" | "baseline" | "compared">,
  listed: readonly Pick<Listed, "value">[],
): Chosen | null {
  const values = listed.map(({ value }) => value);
  const newest = compared ?? values.find((value) => value !== baseline);
  if (newest === undefined) return null;
  if (baseline !== null) return { baseline, compared: newest };
  const place = values.indexOf(newest);
  const others = [...values.slice(place + 1), ...values.slice(0, Math.max(0, place)).reverse()];
  const before = others.find((value) => by !== "version" || serviceOf(value) === serviceOf(newest)) ?? others[0];
  return before === undefined ? null : { baseline: before, compared: newest };
}

/** Returns the URL of the comparison of a value with the one before it. */
export const versionsHref = (projectId: string, view: Partial<View> = {}) =>
  `/p/${encodeURIComponent(projectId)}/versions${serializeView(view)}`;

/** Filters of the list of conversations that a row counts. */
type Counted = { finding?: string; errors?: boolean; feedback?: boolean; thumbsDown?: boolean };

/** Returns the URL of a side's conversations, narrowed to what a row counts. */
export const countedHref = (projectId: string, view: View, value: string, counted: Counted = {}) =>
  `/p/${encodeURIComponent(projectId)}/conversations${conversationsSearch({
    [view.by]: [value],
    range: view.range,
    from: view.from,
    to: view.to,
    ...counted,
  })}`;
