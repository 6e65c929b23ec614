"use client";
import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type Connection, isTracker } from "@/server/services/connections/schemas";
import { DeliveryState } from "../tracker-deliveries/_components/delivery-state";

const LIVE_MS = 15_000;

type Props = { projectId: string; connection: Connection };

/** Whether a tracker has a webhook, and its last delivery; renders nothing for other kinds. */
export function LastDelivery({ projectId, connection: { id, kind, webhookSet } }: Props) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.trackerDeliveries.list.queryOptions(
      { projectId, connectionId: id, limit: 1 },
      { enabled: webhookSet, refetchInterval: LIVE_MS },
    ),
  );
  if (!isTracker(kind)) return null;
  if (!webhookSet) return <Quiet>Not set</Quiet>;
  const last = data?.trackerDeliveries[0];
  if (!last) return <Quiet>{data ? "No delivery yet" : ""}</Quiet>;
  return (
    <Group gap={6} wrap="nowrap" align="baseline">
      <DeliveryState delivery={last} />
      <Text size="xs" c="dimmed" span flex="none">
        <Ago at={last.receivedAt} />
      </Text>
    </Group>
  );
}

const Quiet = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed" span>
    {children}
  </Text>
);
