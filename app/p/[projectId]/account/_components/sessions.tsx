"use client";
import { Box, Button, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Bowser from "bowser";
import { buttonColumn, timeColumn } from "@/app/_components/data-table/columns";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { SESSIONS_INPUT } from "./inputs";

/** Returns a browser's name in two words. */
function browserName(userAgent: string | null) {
  if (!userAgent) return "Unknown browser";
  const { browser, os } = Bowser.parse(userAgent);
  return [browser.name ?? "A browser", os.name && `on ${os.name}`].filter(Boolean).join(" ");
}

type Session = RouterOutputs["account"]["sessions"]["sessions"][number];
type Options = { ending: string | undefined; onEnd: (sessionId: string) => void };

const columnsOf = ({ ending, onEnd }: Options): ListColumn<Session>[] => [
  {
    id: "browser",
    header: "Browser",
    accessorFn: ({ userAgent }) => browserName(userAgent),
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <span title={original.userAgent ?? undefined}>
        {browserName(original.userAgent)}
        {original.current ? " (this one)" : ""}
      </span>
    ),
  },
  timeColumn({ id: "seen", header: "Last active", at: ({ lastSeenAt }) => lastSeenAt }),
  timeColumn({ id: "signed-in", header: "Signed in", at: ({ createdAt }) => createdAt, roomy: true }),
  buttonColumn({
    label: "Sign out",
    says: ({ userAgent }) => `Sign out ${browserName(userAgent)}`,
    busy: ({ id }) => ending === id,
    onPress: ({ id }) => onEnd(id),
    applies: ({ current }) => !current,
  }),
];

export function Sessions() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = useQuery(trpc.account.sessions.queryOptions(SESSIONS_INPUT));
  const settled = {
    onError: (failed: unknown) => notifications.show({ color: "red", message: problemOf(failed).detail }),
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.account.pathKey() }),
  };
  const end = useMutation(trpc.account.endSession.mutationOptions(settled));
  const endOthers = useMutation(trpc.account.endOtherSessions.mutationOptions(settled));
  const sessions = list.data?.sessions ?? [];
  return (
    <Stack gap="sm">
      <DataList
        embedded
        scope="sessions"
        list={list}
        name="Signed-in browsers"
        what="browser"
        columns={columnsOf({
          ending: end.isPending ? end.variables?.sessionId : undefined,
          onEnd: (sessionId) => end.mutate({ sessionId }),
        })}
        rows={sessions}
        rowId={({ id }) => id}
        rowName={({ userAgent }) => browserName(userAgent)}
        minWidth={520}
        empty={null}
      />
      {sessions.some(({ current }) => !current) ? (
        <Box px="md">
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate({})}>
            Sign out all others
          </Button>
        </Box>
      ) : null}
    </Stack>
  );
}
