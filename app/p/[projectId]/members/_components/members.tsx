"use client";
import { Button, Group, Menu, NativeSelect, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Ago } from "@/app/_components/ago";
import { ListFoot } from "@/app/_components/data-table/list-foot";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/error-state";
import { PageHeader } from "@/app/_components/page-header";
import { StaleNote } from "@/app/_components/stale-note";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";
import { ROLES } from "@/server/platform/capabilities";
import type { Member } from "@/server/services/members/schemas";
import { ConfirmMember, type Doing } from "./confirm-member";
import { Invitations } from "./invitations";
import { Invite } from "./invite";
import classes from "./members.module.css";
import { ROLE_WORDS } from "./role-words";

export function Members({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [inviting, invite] = useDisclosure(false);
  const [doing, setDoing] = useState<{ what: Doing; member: Member } | null>(null);
  const list = useInfiniteQuery(
    trpc.members.list.infiniteQueryOptions(
      { projectId, limit: 100 },
      { getNextPageParam: (page) => page.pagination.nextCursor ?? undefined },
    ),
  );
  const change = useMutation(
    trpc.members.changeRole.mutationOptions({
      onSuccess: ({ member }) =>
        notifications.show({ message: `${member.name ?? member.email} is ${ROLE_WORDS[member.role].label} now.` }),
      onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.members.pathKey() }),
    }),
  );
  const members = list.data?.pages.flatMap((page) => page.members) ?? [];
  return (
    <>
      <PageHeader
        title="Members"
        aside={
          <Button onClick={invite.open} leftSection={<IconPlus size={14} aria-hidden />}>
            Invite
          </Button>
        }
      />
      <div className={classes.body}>
        {members.length > 0 ? (
          <>
            <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
            <Table.ScrollContainer minWidth={720}>
              <Table className={classes.table} aria-label="Members">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Person</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>Last here</Table.Th>
                    <Table.Th>Joined</Table.Th>
                    <Table.Th>
                      <span className={classes.hidden}>Actions</span>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {members.map((member) => (
                    <Table.Tr key={member.userId}>
                      <Table.Td>
                        <Text size="sm" fw={500}>
                          {member.name ?? member.email}
                        </Text>
                        {member.name ? (
                          <Text size="xs" c="dimmed">
                            {member.email}
                          </Text>
                        ) : null}
                      </Table.Td>
                      <Table.Td>
                        <NativeSelect
                          size="xs"
                          w={130}
                          aria-label={`Role of ${member.email}`}
                          value={member.role}
                          disabled={change.isPending}
                          data={ROLES.map((value) => ({ value, label: ROLE_WORDS[value].label }))}
                          onChange={(event) => {
                            const role = ROLES.find((one) => one === event.currentTarget.value);
                            if (role) change.mutate({ projectId, userId: member.userId, role });
                          }}
                        />
                      </Table.Td>
                      <Table.Td>
                        {member.lastSeenAt === null ? (
                          <Text c="dimmed" size="sm">
                            Not signed in
                          </Text>
                        ) : (
                          <Ago at={member.lastSeenAt} />
                        )}
                      </Table.Td>
                      <Table.Td>
                        <Ago at={member.createdAt} />
                      </Table.Td>
                      <Table.Td>
                        <Group justify="flex-end">
                          <Menu position="bottom-end">
                            <Menu.Target>
                              <Button variant="default" size="compact-xs" aria-label={`Actions for ${member.email}`}>
                                <IconDots size={14} aria-hidden />
                              </Button>
                            </Menu.Target>
                            <Menu.Dropdown>
                              <Menu.Item onClick={() => setDoing({ what: "reset", member })}>Password link…</Menu.Item>
                              {member.role === "owner" ? null : (
                                <Menu.Item onClick={() => setDoing({ what: "transfer", member })}>
                                  Hand the project over…
                                </Menu.Item>
                              )}
                              <Menu.Item color="red" onClick={() => setDoing({ what: "remove", member })}>
                                Remove…
                              </Menu.Item>
                            </Menu.Dropdown>
                          </Menu>
                        </Group>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            <ListFoot shown={members.length} what="member" list={list} />
            <Invitations projectId={projectId} />
          </>
        ) : list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
        ) : (
          <TableSkeleton rows={4} label="Loading members" />
        )}
      </div>
      <Invite projectId={projectId} opened={inviting} onClose={invite.close} />
      <ConfirmMember projectId={projectId} doing={doing} onClose={() => setDoing(null)} />
    </>
  );
}
