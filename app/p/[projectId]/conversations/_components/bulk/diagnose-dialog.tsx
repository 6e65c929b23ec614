import { Anchor, Button, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../../../_components/shell/pages";
import type { filterInput } from "../view";

type Props = {
  /** The filters whose conversations are to be diagnosed; `null` while closed. */
  filter: ReturnType<typeof filterInput> | null;
  onAnswer: (sure: true | null) => void;
};

/** Confirms the diagnosis of all matching conversations and shows how many there are. */
export const DiagnoseDialog = ({ filter, onAnswer }: Props) => (
  <Modal opened={filter !== null} onClose={() => onAnswer(null)} title="Diagnose all matching conversations?">
    {filter ? <Counted filter={filter} onAnswer={onAnswer} /> : null}
  </Modal>
);

function Counted({ filter, onAnswer }: { filter: NonNullable<Props["filter"]>; onAnswer: Props["onAnswer"] }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.conversations.count.queryOptions(filter, { staleTime: 0, gcTime: 0 }),
  );
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />;
  const words = data ? plural(data.count, "conversation") : "";
  return (
    <Stack gap="md">
      {data === undefined ? (
        <Skeleton height={42} role="status" aria-label="Counting the conversations" />
      ) : data.more ? (
        <Text size="sm">
          More than {formatCount(data.count)} conversations match. Narrow the filters, or{" "}
          <Anchor component={Link} href={pageHref(filter.projectId, "backfills")} inherit>
            backfill a Rule
          </Anchor>{" "}
          over a time window.
        </Text>
      ) : (
        <Text size="sm">
          Every enabled Rule checks {data.count === 1 ? "it" : `each of the ${words}`} as it is now. What was already
          checked is skipped.
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => onAnswer(null)} data-autofocus>
          Cancel
        </Button>
        <Button disabled={data === undefined || data.more || data.count === 0} onClick={() => onAnswer(true)}>
          Diagnose {data?.more ? "" : words}
        </Button>
      </Group>
    </Stack>
  );
}
