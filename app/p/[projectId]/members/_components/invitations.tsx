"use client";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { buttonColumn, timeColumn } from "@/app/_components/data-table/columns";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { PageSection } from "@/app/_components/layout/page-body";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { Invitation } from "@/server/services/members/schemas";
import { ROLE_WORDS } from "../../_components/access/role-words";

const ANYBODY = "Anyone with the link";
const nameOf = ({ email }: Invitation) => email ?? ANYBODY;

type Options = { revoking: string | undefined; onRevoke: (invitation: Invitation) => void };

const columnsOf = ({ revoking, onRevoke }: Options): ListColumn<Invitation>[] => [
  {
    id: "for",
    header: "For",
    accessorFn: nameOf,
    meta: { width: "50%", link: true },
    cell: ({ row }) => <span style={{ overflowWrap: "anywhere" }}>{nameOf(row.original)}</span>,
  },
  {
    id: "role",
    header: "Role",
    accessorFn: ({ role }) => ROLE_WORDS[role].label,
    cell: ({ row }) => ROLE_WORDS[row.original.role].label,
  },
  timeColumn({ id: "expires", header: "Expires", at: ({ expiresAt }) => expiresAt }),
  timeColumn({ id: "made", header: "Created", at: ({ createdAt }) => createdAt, roomy: true }),
  buttonColumn({
    label: "Revoke",
    says: ({ email }) => `Revoke the invitation for ${email ?? ANYBODY.toLowerCase()}`,
    busy: ({ id }) => revoking === id,
    onPress: onRevoke,
  }),
];

/** Links that can still be used; renders nothing if there are none. */
export function Invitations({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = useInfiniteQuery(
    trpc.members.listInvitations.infiniteQueryOptions({ projectId, pending: true, limit: 100 }, nextPage),
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
      <DataList
        embedded
        scope="invitations"
        list={list}
        name="Open invitations"
        what="invitation"
        columns={columnsOf({
          revoking: revoke.isPending ? revoke.variables.invitationId : undefined,
          onRevoke: ({ id }) => revoke.mutate({ projectId, invitationId: id }),
        })}
        rows={open}
        rowId={({ id }) => id}
        rowName={nameOf}
        minWidth={520}
        empty={null}
      />
    </PageSection>
  );
}
