import "server-only";
import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cache, type ReactNode } from "react";
import { contextOfPage } from "@/server/trpc/context";
import { appRouter } from "@/server/trpc/root";
import { createCallerFactory } from "@/server/trpc/trpc";
import { makeQueryClient } from "./query-client";

/** The cache of this one render. */
export const getQueryClient = cache(() => makeQueryClient({ patient: false }));

/**
 * The same options as `useTRPC()` gives in the browser, answered without HTTP by the services themselves:
 * `prefetch(trpc.findings.list.queryOptions({ projectId }))`.
 */
export const trpc = createTRPCOptionsProxy({ ctx: contextOfPage, router: appRouter, queryClient: getQueryClient });

/** Plain calls, for what a page needs to decide something: `await (await api()).projects.get({ projectId })`. */
export const api = cache(async () => createCallerFactory(appRouter)(await contextOfPage()));

type Prefetchable = { queryKey: readonly unknown[] };

/**
 * Starts a query whose answer a client component below `<Hydrate>` will ask for. Without `await` it streams; awaited, it
 * is in the first HTML. A failure is left to the client, which asks again and shows it.
 */
export async function prefetch(options: Prefetchable): Promise<void> {
  const client = getQueryClient();
  // The option types of finite and infinite queries have no common ancestor that these two methods take.
  if ("initialPageParam" in options) await client.prefetchInfiniteQuery(options as never);
  else await client.prefetchQuery(options as never);
}

/** Hands what was prefetched to the client components below. */
export const Hydrate = ({ children }: { children: ReactNode }) => (
  <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>
);
