"use client";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Bowser from "bowser";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { SESSIONS_INPUT } from "./inputs";

/** Returns a browser's name in two words. */
function browserName(userAgent: string | null) {
  if (!userAgent) return "A browser that did not say its name";
  const { browser, os } = Bowser.parse(userAgent);
  return [browser.name ?? "A browser", os.name && `on ${os.name}`].filter(Boolean).join(" ");
}

export function Sessions() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { data, error, refetch, isFetching } = useQuery(trpc.account.sessions.queryOptions(SESSIONS_INPUT));
  const settled = {
    onError: (failed: unknown) => notifications.show({ color: "red", message: problemOf(failed).detail }),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.account.pathKey() }),
  };
  const end = useMutation(trpc.account.endSession.mutationOptions(settled));
  const endOthers = useMutation(trpc.account.endOtherSessions.mutationOptions(settled));
  if (!data) {
    return error ? (
      <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <Skeleton height={84} role="status" aria-label="Loading your sessions" />
    );
  }
  return (
    <Stack gap="sm">
      {data.sessions.map((session) => (
        <Group key={session.id} justify="space-between" wrap="nowrap">
          <div>
            <Text size="sm" title={session.userAgent ?? undefined}>
              {browserName(session.userAgent)}
              {session.current ? " (this one)" : ""}
            </Text>
            <Text size="xs" c="dimmed">
              Signed in <Ago at={session.createdAt} />, last here <Ago at={session.lastSeenAt} />
            </Text>
          </div>
          {session.current ? null : (
            <Button
              variant="default"
              size="compact-xs"
              style={{ flex: "none" }}
              aria-label={`Sign out ${browserName(session.userAgent)}`}
              loading={end.isPending && end.variables?.sessionId === session.id}
              onClick={() => end.mutate({ sessionId: session.id })}
            >
              Sign out
            </Button>
          )}
        </Group>
      ))}
      {data.sessions.some(({ current }) => !current) ? (
        <div>
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate({})}>
            Sign all others out
          </Button>
        </div>
      ) : null}
    </Stack>
  );
}
