"use client";
import { Button, Table, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Ago } from "@/app/_components/ago";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";
import classes from "./members.module.css";
import { ROLE_WORDS } from "./role-words";

/** Links that can still be used; nothing while there are none. */
export function Invitations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = useInfiniteQuery(
    trpc.members.invitations.infiniteQueryOptions(
      { projectId, pending: true, limit: 100 },
      { getNextPageParam: (page) => page.pagination.nextCursor ?? undefined },
    ),
  );
  const revoke = useMutation(
    trpc.members.revokeInvitation.mutationOptions({
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.members.pathKey() }),
    }),
  );
  const open = list.data?.pages.flatMap((page) => page.invitations) ?? [];
  if (open.length === 0) return null;
  return (
    <section aria-labelledby="invitations">
      <Title order={2} id="invitations" className={classes.heading}>
        Open invitations
      </Title>
      <Table.ScrollContainer minWidth={560}>
        <Table className={classes.table} aria-label="Open invitations">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>For</Table.Th>
              <Table.Th>Role</Table.Th>
              <Table.Th>Expires</Table.Th>
              <Table.Th>Made</Table.Th>
              <Table.Th>
                <span className={classes.hidden}>Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {open.map((invitation) => (
              <Table.Tr key={invitation.id}>
                <Table.Td>{invitation.email ?? "Whoever has the link"}</Table.Td>
                <Table.Td>{ROLE_WORDS[invitation.role].label}</Table.Td>
                <Table.Td>
                  <Ago at={invitation.expiresAt} />
                </Table.Td>
                <Table.Td>
                  <Ago at={invitation.createdAt} />
                </Table.Td>
                <Table.Td ta="end">
                  <Button
                    variant="default"
                    size="compact-xs"
                    loading={revoke.isPending && revoke.variables?.invitationId === invitation.id}
                    aria-label={`Revoke the invitation for ${invitation.email ?? "whoever has the link"}`}
                    onClick={() => revoke.mutate({ projectId, invitationId: invitation.id })}
                  >
                    Revoke
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <ListFoot shown={open.length} what="invitation" list={list} />
    </section>
  );
}
