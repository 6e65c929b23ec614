import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { formatCompact } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import classes from "./shell.module.css";

const POLL_MS = 60_000;

/** The number of Findings for review, once loaded, next to the link to them. */
export function ReviewCount({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.findings.reviewCount.queryOptions(
      { projectId },
      { staleTime: POLL_MS, refetchInterval: POLL_MS, retry: false },
    ),
  );
  if (!data || data.forReview === 0) return null;
  return (
    <span className={classes.recent}>
      {formatCompact(data.forReview)}
      {data.forReview >= data.countedUpTo ? "+" : ""}
      <VisuallyHidden> for review</VisuallyHidden>
    </span>
  );
}
