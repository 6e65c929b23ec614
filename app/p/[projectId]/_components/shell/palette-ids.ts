import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type PagePath, pageHref } from "./pages";

/** The pages of things that have one of our ids, by the id's prefix. */
const PAGE_OF: Readonly<Record<string, { path: PagePath; what: string }>> = {
  fnd: { path: "findings", what: "Finding" },
  ds: { path: "datasets", what: "Dataset" },
  job: { path: "training", what: "training run" },
  eval: { path: "evaluations", what: "comparison" },
  dep: { path: "deployments", what: "deployment" },
};
const OWN = /^([a-z]+)_[0-9a-f]{8,}$/i;
/** One word that contains a digit: every id of a trace or span, and those that applications give their conversations. */
const PERHAPS = /^(?=\S*\d)\S{6,}$/;

export type IdEntry = { id: string; label: string; description?: string; href: string };

/** Returns the entries for a pasted id: links to the thing that it identifies, if any. */
export function useEntriesOfId(projectId: string, query: string, enabled: boolean): readonly IdEntry[] {
  const trpc = useTRPC();
  const page = PAGE_OF[OWN.exec(query)?.[1]?.toLowerCase() ?? ""];
  const found = useQuery(
    trpc.conversations.locate.queryOptions(
      { projectId, telemetryId: query },
      { enabled: enabled && page === undefined && PERHAPS.test(query), retry: false },
    ),
  );
  if (page) {
    return [
      { id: query, label: `Open ${page.what}`, description: query, href: `${pageHref(projectId, page.path)}/${query}` },
    ];
  }
  const location = PERHAPS.test(query) ? found.data?.location : undefined;
  if (!location) return [];
  const { conversationId, traceId, spanId } = location;
  const search = new URLSearchParams(traceId === null ? {} : { tab: "spans", trace: traceId });
  if (spanId !== null) search.set("span", spanId);
  const what = spanId !== null ? "span" : traceId !== null ? "trace" : "conversation";
  return [
    {
      id: query,
      label: `Open ${what}`,
      description: query,
      href: `${pageHref(projectId, "conversations")}/${encodeURIComponent(conversationId)}${search.size > 0 ? `?${search}` : ""}`,
    },
  ];
}
