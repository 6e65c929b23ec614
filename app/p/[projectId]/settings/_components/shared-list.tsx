"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { buttonColumn, timeColumn } from "@/app/_components/data-table/columns";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn } from "@/app/_components/data-table/types";
import { PageSection } from "@/app/_components/layout/page-body";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { ShareLink } from "@/server/services/sharing/schemas";
import { useMay } from "../../_components/access/membership";
import { activeLinksInput, MASKING_WORDS, nameOfShared } from "../../_components/sharing/share-words";
import { useRevokeShareLink } from "../../_components/sharing/use-share-links";

const hrefOf = (projectId: string, { conversationId, findingId }: ShareLink) =>
  `/p/${projectId}/${conversationId === null ? `findings/${findingId}` : `conversations/${conversationId}`}`;

type Options = { mayRevoke: boolean } & ReturnType<typeof useRevokeShareLink>;

const columnsOf = ({ mayRevoke, revoking, onRevoke }: Options): ListColumn<ShareLink>[] => [
  {
    id: "shared",
    header: "Shared",
    accessorFn: nameOfShared,
    meta: { width: "45%", link: true },
    cell: ({ row }) => <InlineCode text={nameOfShared(row.original)} />,
  },
  {
    id: "masking",
    header: "Masking",
    accessorFn: ({ masking }) => MASKING_WORDS[masking].label,
    meta: { roomy: true },
    cell: ({ row }) => MASKING_WORDS[row.original.masking].label,
  },
  {
    id: "opened",
    header: "Opened",
    accessorFn: ({ openedCount }) => openedCount,
    meta: { roomy: true },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.openedCount)}</span>,
  },
  timeColumn({ id: "expires", header: "Expires", at: ({ expiresAt }) => expiresAt }),
  timeColumn({ id: "made", header: "Created", at: ({ createdAt }) => createdAt, roomy: true }),
  ...(mayRevoke
    ? [
        buttonColumn<ShareLink>({
          label: "Revoke",
          says: (link) => `Revoke the link to ${nameOfShared(link)}`,
          busy: ({ id }) => revoking === id,
          onPress: ({ id }) => onRevoke(id),
        }),
      ]
    : []),
];

/** The project's links that work; renders nothing if there are none. */
export function SharedList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const mayRevoke = useMay("diagnostics:write");
  const revoking = useRevokeShareLink(projectId);
  const list = useInfiniteQuery(trpc.shareLinks.list.infiniteQueryOptions(activeLinksInput(projectId), nextPage));
  const links = list.data?.pages.flatMap((page) => page.shareLinks) ?? [];
  if (links.length === 0 && !list.error) return null;
  return (
    <PageSection title="Active share links" flush>
      <DataList
        embedded
        list={list}
        name="Active share links"
        what="link"
        columns={columnsOf({ mayRevoke, ...revoking })}
        rows={links}
        rowId={({ id }) => id}
        rowName={nameOfShared}
        rowHref={(link) => hrefOf(projectId, link)}
        minWidth={640}
        empty={null}
      />
    </PageSection>
  );
}
