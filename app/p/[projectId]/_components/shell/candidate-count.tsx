import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatCompact } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import classes from "./shell.module.css";

const POLL_MS = 60_000;

/** The number of candidates to review, once loaded, next to the link to them. */
export function CandidateCount({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.reviewQueue.list.queryOptions(
      { projectId, limit: 1 },
      { staleTime: POLL_MS, refetchInterval: POLL_MS, retry: false },
    ),
  );
  if (!data || data.counter.waiting === 0) return null;
  return (
    <span className={classes.recent}>
      {formatCompact(data.counter.waiting)}
      <VisuallyHidden> waiting for review</VisuallyHidden>
    </span>
  );
}
