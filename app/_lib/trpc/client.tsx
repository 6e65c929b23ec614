"use client";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpLink, splitLink } from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import type { AppRouter } from "@/server/trpc/root";
import { makeQueryClient } from "./query-client";

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

export { useTRPC, useTRPCClient };

export type RouterInputs = inferRouterInputs<AppRouter>;
export type RouterOutputs = inferRouterOutputs<AppRouter>;

/** Batches with a longer URL are split, so that no proxy rejects one. */
const URL_MAX = 6000;
/** Queries whose input does not fit into a URL send it in the request body. */
const READ_BY_POST = new Set(["modelPrices.estimate"]);

let browserClient: QueryClient | undefined;

/** One per page load in the browser and one per render on the server, so that nobody sees another's data. */
function queryClientHere() {
  if (typeof window === "undefined") return makeQueryClient({ patient: false });
  browserClient ??= makeQueryClient();
  return browserClient;
}

/** Provides the API client and its cache to the components below. */
export function ApiProvider({ children }: { children: ReactNode }) {
  const queryClient = queryClientHere();
  const [client] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: ({ path }) => READ_BY_POST.has(path),
          true: httpLink({ url: "/api/trpc", methodOverride: "POST" }),
          false: httpBatchLink({ url: "/api/trpc", maxURLLength: URL_MAX }),
        }),
      ],
    }),
  );
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
