import { useQueries, useQuery } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc";
import type { Finding, Occurrence } from "@/server/services/diagnostics/schemas";

/** The API lists occurrences by Finding only: so far back is looked for the one of this conversation. */
const PAGES_SEARCHED = 4;
const PAGE = 500;

/** The Findings of one conversation, each with how it showed here. */
export function useOccurrences(projectId: string, conversationId: string) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const list = useQuery(trpc.findings.list.queryOptions({ projectId, conversationId, limit: 200 }));
  const findings: Finding[] = list.data?.findings ?? [];
  const found = useQueries({
    queries: findings.map((finding) => ({
      queryKey: [...trpc.findings.occurrences.pathKey(), "of-conversation", projectId, finding.id, conversationId],
      queryFn: async (): Promise<Occurrence | null> => {
        let cursor: string | undefined;
        for (let page = 0; page < PAGES_SEARCHED; page++) {
          const reply = await client.findings.occurrences.query({
            projectId,
            findingId: finding.id,
            limit: PAGE,
            ...(cursor ? { cursor } : {}),
          });
          const here = reply.occurrences.find((occurrence) => occurrence.conversationId === conversationId);
          if (here) return here;
          if (reply.pagination.nextCursor === null) return null;
          cursor = reply.pagination.nextCursor;
        }
        return null;
      },
    })),
  });
  const pairs = findings.flatMap((finding, index) => {
    const occurrence = found[index]?.data;
    return occurrence ? [{ finding, occurrence }] : [];
  });
  return { findings, pairs, error: list.error, isPending: list.isPending, refetch: list.refetch };
}
