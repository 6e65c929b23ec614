import { useQuery } from "@tanstack/react-query";
import { isPlainClick } from "@/app/_lib/plain-click";
import { useTRPC } from "@/app/_lib/trpc/client";
import classes from "./spans-tab.module.css";

const SHOWN = 5;

type Props = { projectId: string; conversationId: string; spanId: string; onMessage: (index: number) => void };

/** The messages of the transcript that a span was the first to send. */
export function SpanMessages({ projectId, conversationId, spanId, onMessage }: Props) {
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.conversations.messages.queryOptions({ projectId, conversationId, spanId, limit: SHOWN }),
  );
  if (error) return "could not be read";
  if (!data) return "…";
  if (data.messages.length === 0) return "none of its own";
  return (
    <span className={classes.messages}>
      {data.messages.map(({ index }) => (
        <a
          key={index}
          href={`?#m-${index}`}
          aria-label={`Show message ${index} in the transcript`}
          onClick={(event) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            onMessage(index);
          }}
        >
          #{index}
        </a>
      ))}
      {data.pagination.nextCursor === null ? null : "and more"}
    </span>
  );
}
