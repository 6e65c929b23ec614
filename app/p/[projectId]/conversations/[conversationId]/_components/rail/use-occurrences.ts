import { useQueries, useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Finding } from "@/server/services/diagnostics/schemas";

/** Returns a conversation's Findings, each with its occurrence here. */
export function useOccurrences(projectId: string, conversationId: string) {
  const trpc = useTRPC();
  const list = useQuery(trpc.findings.list.queryOptions({ projectId, conversationId, limit: 200 }));
  const findings: Finding[] = list.data?.findings ?? [];
  const found = useQueries({
    queries: findings.map((finding) =>
      trpc.findings.occurrences.queryOptions({ projectId, findingId: finding.id, conversationId, limit: 1 }),
    ),
  });
  const pairs = findings.flatMap((finding, index) => {
    const occurrence = found[index]?.data?.occurrences[0];
    return occurrence ? [{ finding, occurrence }] : [];
  });
  return { findings, pairs, error: list.error, isPending: list.isPending, refetch: list.refetch };
}
