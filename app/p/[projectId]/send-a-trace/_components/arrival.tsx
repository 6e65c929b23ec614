"use client";
import { Loader, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Ago } from "@/app/_components/values/ago";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { Arrived } from "./arrived";
import classes from "./send-a-trace.module.css";

const POLL_MS = 1500;

/** Polls, and switches when a trace arrives after the page was opened. */
export function Arrival({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.telemetry.status.queryOptions(
      { projectId },
      { refetchInterval: POLL_MS, refetchIntervalInBackground: true, staleTime: 0 },
    ),
  );
  const status = data?.status;
  const [before, setBefore] = useState<{ receivedAt: number; any: boolean } | null>(null);
  useEffect(() => {
    if (status && before === null) setBefore({ receivedAt: status.receivedAt ?? 0, any: status.hasConversations });
  }, [status, before]);

  const arrived = status && before && (status.receivedAt ?? 0) > before.receivedAt;
  if (arrived && status.lastReceipt) {
    return (
      <Arrived
        projectId={projectId}
        first={!before.any}
        receipt={status.lastReceipt}
        conversationId={status.lastConversationId}
      />
    );
  }
  return (
    <div className={classes.listening} role="status">
      <Loader size={14} aria-hidden />
      <div>
        <Text size="sm" fw={500}>
          Listening…
        </Text>
        <Text size="xs" c="dimmed">
          {error ? (
            `${problemOf(error).title}. Trying again.`
          ) : status?.receivedAt ? (
            <>
              The last spans arrived <Ago at={status.receivedAt} />. New ones appear here.
            </>
          ) : (
            "Nothing has arrived yet. Updates automatically when the first spans arrive."
          )}
        </Text>
      </div>
    </div>
  );
}
