"use client";
import { Button, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { PageSection } from "@/app/_components/layout/page-body";
import { Ago } from "@/app/_components/values/ago";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ROLE_WORDS } from "../../_components/access/role-words";

const COLUMNS = [
  { label: "For" },
  { label: "Role" },
  { label: "Expires" },
  { label: "Made", roomy: true },
  { label: null },
];
const ANYBODY = "Whoever has the link";

/** Links that can still be used; renders nothing if there are none. */
export function Invitations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = useInfiniteQuery(
    trpc.members.invitations.infiniteQueryOptions({ projectId, pending: true, limit: 100 }, nextPage),
  );
  const revoke = useMutation(
    trpc.members.revokeInvitation.mutationOptions({
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.members.pathKey() }),
    }),
  );
  const open = list.data?.pages.flatMap((page) => page.invitations) ?? [];
  if (open.length === 0 && !list.error) return null;
  return (
    <PageSection title="Open invitations" flush>
      <ListFrame
        label="Open invitations"
        what="invitation"
        columns={COLUMNS}
        minWidth={340}
        list={list}
        count={open.length}
        empty={null}
        keys={false}
      >
        {open.map((invitation, index) => (
          <ListRow key={invitation.id} index={index}>
            <Table.Td w="50%" maw={0}>
              <Text size="sm" truncate title={invitation.email ?? ANYBODY}>
                {invitation.email ?? ANYBODY}
              </Text>
            </Table.Td>
            <Table.Td>{ROLE_WORDS[invitation.role].label}</Table.Td>
            <Table.Td>
              <Ago at={invitation.expiresAt} />
            </Table.Td>
            <Table.Td {...ROOMY}>
              <Ago at={invitation.createdAt} />
            </Table.Td>
            <Table.Td ta="end">
              <Button
                variant="default"
                size="compact-xs"
                loading={revoke.isPending && revoke.variables.invitationId === invitation.id}
                aria-label={`Revoke the invitation for ${invitation.email ?? ANYBODY.toLowerCase()}`}
                onClick={() => revoke.mutate({ projectId, invitationId: invitation.id })}
              >
                Revoke
              </Button>
            </Table.Td>
          </ListRow>
        ))}
      </ListFrame>
    </PageSection>
  );
}
