import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { JsonView } from "@/app/_components/values/json-view";
import { formatDuration } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import classes from "./spans-tab.module.css";

type Props = { projectId: string; traceId: string; spanId?: string; since: number };

/** Log records of a trace or of one span, in order of time. */
export function LogList({ projectId, traceId, spanId, since }: Props) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.traces.logs.infiniteQueryOptions({ projectId, traceId, ...(spanId ? { spanId } : {}) }, nextPage),
  );
  const logs = list.data?.pages.flatMap((page) => page.logs);
  if (!logs) {
    return list.error ? (
      <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
    ) : (
      <Text size="xs" c="dimmed" role="status">
        Loading log records…
      </Text>
    );
  }
  if (logs.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        None
      </Text>
    );
  }
  return (
    <>
      {logs.map((log, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: log records keep their order
        <details key={index} className={classes.event}>
          <summary>
            <span className="mono">{log.eventName ?? "log record"}</span>{" "}
            {log.at >= since ? `+${formatDuration(log.at - since)}` : `${formatDuration(since - log.at)} before`}
            {spanId === undefined && log.spanId !== null ? ` in span ${log.spanId.slice(0, 8)}` : ""}
          </summary>
          {log.body === null ? null : <JsonView value={log.body} label={`body of log record ${index + 1}`} />}
          <JsonView value={log.attributes} label={`attributes of log record ${index + 1}`} />
        </details>
      ))}
      <ListFoot shown={logs.length} what="log record" list={list} />
    </>
  );
}
