"use client";
import { ActionIcon, Button, Menu, Text } from "@mantine/core";
import { IconDots, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ColumnMenu } from "@/app/_components/data-table/column-menu";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { useNewDialog } from "@/app/_lib/use-new-dialog";
import { ROLES, type Role } from "@/server/platform/capabilities";
import type { Member } from "@/server/services/members/schemas";
import { ConfirmMember, type Doing } from "./confirm-member";
import { Invitations } from "./invitations";
import { Invite } from "./invite";
import { RoleSelect } from "./role-select";
import { useChangeRole } from "./use-change-role";

type Options = {
  me: string | null;
  becoming: (member: Member) => Role | null;
  onRole: (member: Member, role: Role) => void;
  onChoose: (doing: Doing) => void;
};

const columnsOf = ({ me, becoming, onRole, onChoose }: Options): ListColumn<Member>[] => [
  {
    id: "person",
    header: "Person",
    accessorFn: ({ name, email }) => name ?? email,
    meta: { width: "50%", link: true },
    cell: ({ row: { original } }) => <Who member={original} me={me} />,
  },
  {
    id: "role",
    header: "Role",
    accessorFn: ({ role }) => ROLES.indexOf(role),
    cell: ({ row: { original } }) => (
      <RoleSelect member={original} becoming={becoming(original)} onChoose={(role) => onRole(original, role)} />
    ),
  },
  {
    id: "seen",
    header: "Last active",
    accessorFn: ({ lastSeenAt }) => lastSeenAt ?? undefined,
    meta: { roomy: true },
    cell: ({ row }) => <AgoOr at={row.original.lastSeenAt} otherwise="Not signed in" />,
  },
  {
    id: "joined",
    header: "Joined",
    accessorFn: ({ createdAt }) => createdAt,
    meta: { roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true },
    cell: ({ row }) => <Actions member={row.original} onChoose={onChoose} />,
  },
];

type Props = {
  projectId: string;
  /** The reader's own id. */
  me: string | null;
};

export function Members({ projectId, me }: Props) {
  const trpc = useTRPC();
  const [inviting, invite] = useNewDialog();
  const [doing, setDoing] = useState<Doing | null>(null);
  const list = useInfiniteQuery(trpc.members.list.infiniteQueryOptions({ projectId, limit: 100 }, nextPage));
  const { changeRole, becoming } = useChangeRole(projectId);
  const members = list.data?.pages.flatMap((page) => page.members) ?? [];
  const columns = columnsOf({
    me,
    becoming,
    // Changes of ownership need confirmation; the rest can be undone.
    onRole: (member, role) =>
      role === "owner" || member.role === "owner" ? setDoing({ what: "role", member, role }) : changeRole(member, role),
    onChoose: setDoing,
  });
  return (
    <>
      <PageHeader
        title="Members"
        aside={
          <>
            <ColumnMenu columns={columns} />
            <Button onClick={invite.open} leftSection={<IconPlus size={14} aria-hidden />}>
              Invite
            </Button>
          </>
        }
      />
      <PageBody>
        <DataList
          embedded
          list={list}
          name="Members"
          what="member"
          columns={columns}
          rows={members}
          rowId={(member) => member.userId}
          rowName={(member) => member.email}
          minWidth={620}
          empty={null}
        />
        <Invitations projectId={projectId} />
      </PageBody>
      <Invite projectId={projectId} opened={inviting} onClose={invite.close} />
      <ConfirmMember projectId={projectId} doing={doing} onClose={() => setDoing(null)} />
    </>
  );
}

const Who = ({ member: { userId, name, email }, me }: { member: Member; me: string | null }) => (
  <>
    <Text size="sm" fw={500} style={{ overflowWrap: "anywhere" }}>
      {name ?? email}
      {userId === me ? " (you)" : ""}
    </Text>
    {name ? (
      <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {email}
      </Text>
    ) : null}
  </>
);

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
