"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatPercent } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import classes from "../finding-page.module.css";

/** Similar conversations without a Finding, to compare with. */
export function Contrast({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.findings.contrast.queryOptions({ projectId, findingId }));
  return (
    <section>
      <h2 className={classes.heading}>Similar conversations that went well</h2>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : data === undefined ? (
        <p className={classes.quiet} role="status">
          Looking for similar conversations…
        </p>
      ) : data.conversations.length === 0 ? (
        <p className={classes.quiet}>None among {formatCount(data.compared)} conversations without Findings.</p>
      ) : (
        <ul className={classes.plainList}>
          {data.conversations.map((one) => (
            <li key={one.id} className={classes.plainItem}>
              <Link
                className={classes.plainText}
                href={`/p/${projectId}/conversations/${encodeURIComponent(one.id)}`}
                title={one.preview ?? one.id}
              >
                {one.preview ?? one.externalId ?? one.id}
              </Link>
              <span className={classes.quiet}>
                {one.because === "same_request"
                  ? `request ${formatPercent(one.similarity)} similar`
                  : "used the same tool"}
                , <Ago at={one.startedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
