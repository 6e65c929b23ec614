import "server-only";
import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import type { Metadata } from "next";
import { cache, type ReactNode } from "react";
import { excerpt } from "@/server/platform/excerpt";
import { contextOfPage } from "@/server/trpc/context";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory } from "@/server/trpc/trpc";
import { makeQueryClient } from "./query-client";

/** The query cache of the current render. */
export const getQueryClient = cache(() => makeQueryClient({ patient: false }));

/**
 * The same options as `useTRPC()` in the browser, served directly by the services without HTTP:
 * `prefetch(trpc.findings.list.queryOptions({ projectId }))`.
 */
export const trpc = createTRPCOptionsProxy({ ctx: contextOfPage, router: appRouter, queryClient: getQueryClient });

/** Direct calls, for data that a page needs to decide something: `await (await api()).projects.get({ projectId })`. */
export const api = cache(async () => createCallerFactory(appRouter)(await contextOfPage()));

/** Characters of a name that tabs and lists of recent pages have room for. */
const TITLE_MAX = 80;

type Prefetchable = { queryKey: readonly unknown[] };

/**
 * Starts a query whose result a client component below `<Hydrate>` will use. Without `await` it streams; awaited, it is
 * in the first HTML. A failure is left to the client, which retries it and shows it.
 */
export async function prefetch(options: Prefetchable): Promise<void> {
  const client = getQueryClient();
  // Finite and infinite query options have no common supertype that these two methods accept.
  if ("initialPageParam" in options) await client.prefetchInfiniteQuery(options as never);
  else await client.prefetchQuery(options as never);
}

/**
 * Returns a page's title from the name of what it shows: `Refund is refused · Finding`, or only `kind` if that cannot be read.
 * The page uses the same query, so the data is read only once.
 */
export async function titled<Data>(
  options: Prefetchable,
  nameIn: (data: Data) => string | null | undefined,
  kind: string,
): Promise<Metadata> {
  await prefetch(options);
  const data = getQueryClient().getQueryData<Data>(options.queryKey);
  const name = data === undefined ? null : nameIn(data);
  return { title: name ? `${excerpt(name, TITLE_MAX)} · ${kind}` : kind };
}

/** Passes prefetched data to the client components below. */
export const Hydrate = ({ children }: { children: ReactNode }) => (
  <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>
);
