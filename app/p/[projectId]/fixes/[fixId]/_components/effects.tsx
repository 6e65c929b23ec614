"use client";
import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ComparedRows } from "../../../versions/_components/compared-rows";
import classes from "./fix-page.module.css";

/** What else differs between the conversations before a fix and those with it: a fix may break something else. */
export function Effects({ projectId, fixId }: { projectId: string; fixId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.fixes.effects.queryOptions({ projectId, fixId }));
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />;
  if (!data) return <Skeleton height={160} role="status" aria-label="Comparing conversations before and since" />;
  const { effects } = data;
  if (effects === null) return <p className={classes.quiet}>Nothing to compare before a conversation has the fix.</p>;
  return (
    <>
      <p className={classes.quiet}>
        Other Findings, errors, thumbs down, costs and latency. What ran one after the other differs in more than its
        fix. Verdicts are corrected for the number of rows, and hold however often you look.
      </p>
      <ComparedRows
        projectId={projectId}
        rows={effects.rows}
        heads={{
          baseline: `Before: ${plural(effects.before, "conversation")}`,
          compared: `With the fix: ${plural(effects.since, "conversation")}`,
        }}
        countedHref={() => null}
      />
    </>
  );
}
