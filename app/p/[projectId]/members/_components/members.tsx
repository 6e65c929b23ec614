"use client";
import { ActionIcon, Button, Menu, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDots, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ListFrame, ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Member } from "@/server/services/members/schemas";
import { ConfirmMember, type Doing } from "./confirm-member";
import { Invitations } from "./invitations";
import { Invite } from "./invite";
import { RoleSelect } from "./role-select";
import { useChangeRole } from "./use-change-role";

const COLUMNS = [
  { label: "Person" },
  { label: "Role" },
  { label: "Last here", roomy: true },
  { label: "Joined", roomy: true },
  { label: null },
];

type Props = {
  projectId: string;
  /** The reader's own id. */
  me: string | null;
};

export function Members({ projectId, me }: Props) {
  const trpc = useTRPC();
  const [inviting, invite] = useDisclosure(false);
  const [doing, setDoing] = useState<Doing | null>(null);
  const list = useInfiniteQuery(trpc.members.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  const { changeRole, becoming } = useChangeRole(projectId);
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
      <PageBody>
        <ListFrame
          label="Members"
          what="member"
          columns={COLUMNS}
          minWidth={340}
          list={list}
          count={members.length}
          empty={null}
        >
          {members.map((member, index) => (
            <ListRow key={member.userId} index={index}>
              <Table.Td w="50%" maw={0}>
                <Text size="sm" fw={500} truncate title={member.name ?? member.email}>
                  {member.name ?? member.email}
                  {member.userId === me ? " (you)" : ""}
                </Text>
                {member.name ? (
                  <Text size="xs" c="dimmed" truncate title={member.email}>
                    {member.email}
                  </Text>
                ) : null}
              </Table.Td>
              <Table.Td>
                <RoleSelect
                  member={member}
                  becoming={becoming(member)}
                  onChoose={(role) =>
                    // Changes of ownership need confirmation; the rest can be undone.
                    role === "owner" || member.role === "owner"
                      ? setDoing({ what: "role", member, role })
                      : changeRole(member, role)
                  }
                />
              </Table.Td>
              <Table.Td {...ROOMY}>
                <AgoOr at={member.lastSeenAt} otherwise="Not signed in" />
              </Table.Td>
              <Table.Td {...ROOMY}>
                <Ago at={member.createdAt} />
              </Table.Td>
              <Table.Td ta="end">
                <Actions member={member} onChoose={setDoing} />
              </Table.Td>
            </ListRow>
          ))}
        </ListFrame>
        <Invitations projectId={projectId} />
      </PageBody>
      <Invite projectId={projectId} opened={inviting} onClose={invite.close} />
      <ConfirmMember projectId={projectId} doing={doing} onClose={() => setDoing(null)} />
    </>
  );
}

function Actions({ member, onChoose }: { member: Member; onChoose: (doing: Doing) => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={`Actions for ${member.email}`}>
          <IconDots size={14} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose({ what: "reset", member })}>Password link…</Menu.Item>
        {member.role === "owner" ? null : (
          <Menu.Item onClick={() => onChoose({ what: "transfer", member })}>Hand the project over…</Menu.Item>
        )}
        <Menu.Item color="red" onClick={() => onChoose({ what: "remove", member })}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
