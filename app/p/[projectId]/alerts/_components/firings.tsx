import { Button, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { ExactTime } from "@/app/_components/values/exact-time";
import { formatDuration } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { type Alert, type AlertFiring, MEASURES, valueWords } from "@/server/services/notifications/alerts/schemas";

const LIVE_MS = 15_000;

/** The times for which an alert fired, newest first. */
export function Firings({ projectId, alert }: { projectId: string; alert: Alert }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery({
    ...trpc.alerts.listFirings.infiniteQueryOptions({ projectId, alertId: alert.id }, nextPage),
    refetchInterval: LIVE_MS,
  });
  const firings = list.data?.pages.flatMap((page) => page.firings);
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        History
      </Title>
      {list.error && !firings ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
      ) : firings === undefined ? (
        <Skeleton height={12} width="60%" role="status" aria-label="Loading the history" />
      ) : firings.length === 0 ? (
        <Text size="sm" c="dimmed">
          It has not fired.
        </Text>
      ) : (
        <Table fz="sm" verticalSpacing={4} aria-label="History">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Fired</Table.Th>
              <Table.Th>With</Table.Th>
              <Table.Th ta="end">For</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {firings.map((firing) => (
              <Table.Tr key={firing.id}>
                <Table.Td>
                  <ExactTime at={firing.firedAt} />
                </Table.Td>
                <Table.Td>
                  {valueWords({ measure: alert.measure, ...firing })}, limit{" "}
                  {MEASURES[alert.measure].format(firing.limitValue)}
                </Table.Td>
                <Table.Td ta="end">{lengthOf(firing)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {list.hasNextPage ? (
        <Button
          variant="default"
          size="compact-sm"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Show more
        </Button>
      ) : null}
    </Stack>
  );
}

const lengthOf = ({ firedAt, clearedAt, clearedValue }: AlertFiring) =>
  clearedAt === null
    ? "fires now"
    : `${formatDuration(clearedAt - firedAt)}${clearedValue === null ? ", then changed" : ""}`;
