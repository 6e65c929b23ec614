import "server-only";
import { getQueryClient, prefetch, trpc } from "@/app/_lib/trpc/server";

const hasRows = (page: unknown) =>
  Object.values(page as Record<string, unknown>).some((value) => Array.isArray(value) && value.length > 0);

/**
 * Prefetches the trainers, if a list that has been prefetched is empty: only then its page says whether one is missing. To ask
 * a trainer that does not answer takes seconds.
 */
export async function prefetchTrainersIfEmpty(projectId: string, { queryKey }: { queryKey: readonly unknown[] }) {
  const data = getQueryClient().getQueryData<object>(queryKey);
  const pages = data && "pages" in data ? (data.pages as unknown[]) : [data ?? {}];
  if (!pages.some(hasRows)) await prefetch(trpc.trainers.list.queryOptions({ projectId }));
}
