import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { plural } from "@/app/_lib/format";
import { useTRPCClient } from "@/app/_lib/trpc/client";
import type { DeletionPreview } from "@/server/services/deletion/schemas";
import { Impact } from "../../../_components/confirm/impact";
import { TypeToConfirm } from "../../../_components/confirm/type-to-confirm";
import { forEach } from "./for-each";

/** If there are more, they are not counted one by one. */
const COUNTED_MAX = 50;

type Props = {
  projectId: string;
  /** The conversations to delete; `null` while closed. */
  ids: readonly string[] | null;
  onAnswer: (sure: true | null) => void;
};

/** Confirms the deletion of several conversations with what goes with them. */
export function DeleteDialog({ projectId, ids, onAnswer }: Props) {
  const client = useTRPCClient();
  const counted = ids !== null && ids.length <= COUNTED_MAX;
  const preview = useQuery({
    queryKey: ["deletions", "preview", projectId, ids],
    enabled: counted,
    staleTime: 0,
    queryFn: async () => {
      const all = await forEach(ids ?? [], (conversationId) =>
        client.deletions.previewConversation.query({ projectId, conversationId }),
      );
      return together(all.map((one) => one.preview));
    },
  });
  const count = plural(ids?.length ?? 0, "conversation");
  return (
    <TypeToConfirm
      opened={ids !== null}
      onClose={() => onAnswer(null)}
      title={`Delete ${count}?`}
      phrase="delete"
      action={`Delete ${count}`}
      ready={!counted || preview.data !== undefined}
      running={false}
      error={null}
      onConfirm={() => onAnswer(true)}
    >
      <Text size="sm">
        They are deleted immediately, with everything that was sent for them. This can’t be undone, and their spans are
        refused if they are sent again. Existing backups still have them until they expire.
      </Text>
      {!counted || preview.data ? (
        <Impact
          projectId={projectId}
          conversations={ids?.length ?? 0}
          counts={preview.data ?? null}
          oldestActivityAt={null}
          complete
        />
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
      ) : (
        <Skeleton height={120} role="status" aria-label="Counting what will be deleted" />
      )}
    </TypeToConfirm>
  );
}

/** Adds up previews. A Finding in several conversations counts once; it is deleted only if one of them alone shows it. */
function together(previews: readonly DeletionPreview[]) {
  const sum = (count: (preview: DeletionPreview) => number) => previews.reduce((total, one) => total + count(one), 0);
  const touched = new Map<string, DeletionPreview["touchedFindings"][number]>();
  for (const finding of previews.flatMap(({ touchedFindings }) => touchedFindings)) {
    if (finding.goes || !touched.has(finding.id)) touched.set(finding.id, finding);
  }
  const touchedFindings = [...touched.values()];
  const findings = touchedFindings.filter(({ goes }) => goes).length;
  return {
    messages: sum(({ messages }) => messages),
    spans: sum(({ spans }) => spans),
    logRecords: sum(({ logRecords }) => logRecords),
    occurrences: sum(({ occurrences }) => occurrences),
    examples: sum(({ examples }) => examples),
    findings,
    recountedFindings: touchedFindings.length - findings,
    touchedFindings,
  };
}
