"use client";
import { DataList, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ListAction } from "@/app/_components/data-table/types";
import { PeekActions } from "@/app/_components/layout/peek-actions";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { PeekUnread } from "@/app/_components/layout/peek-unread";
import { Dot } from "@/app/_components/values/dot";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type Alert, limitWords, MEASURES, measureWords } from "@/server/services/notifications/alerts/schemas";
import { Firings } from "./firings";
import { raisedWords } from "./raised-words";
import { ReadingLine } from "./reading-line";
import { standingOf } from "./state-words";

const LIVE_MS = 15_000;

type Props = {
  projectId: string;
  alertId: string;
  /** As in the list, if it is among the loaded rows. */
  listed: Alert | undefined;
  channelsOf: (alert: Alert) => string;
  actions: readonly ListAction<Alert>[];
  onAct: (actionId: string, alert: Alert) => void;
  onClose: () => void;
};

/** An alert in full: where it stands, what it is, and when it fired. */
export function AlertPeek({ projectId, alertId, listed, channelsOf, actions, onAct, onClose }: Props) {
  const trpc = useTRPC();
  const one = useQuery(
    trpc.alerts.get.queryOptions({ projectId, alertId }, { enabled: !listed, refetchInterval: LIVE_MS }),
  );
  const alert = listed ?? one.data?.alert;
  const counts = alert && MEASURES[alert.measure].counts;
  return (
    <PeekPanel label="Alert" title={alert?.name ?? "Alert"} onClose={onClose}>
      {alert ? (
        <Stack p="md" gap="md">
          <PeekActions row={alert} actions={actions} onAct={onAct} />
          <Text size="sm" component="div">
            <Dot color={standingOf(alert).color}>{standingOf(alert).word}</Dot> <ReadingLine alert={alert} />
          </Text>
          <DataList orientation="horizontal" gap="xs">
            <Fact label="Measures">{measureWords(alert)}</Fact>
            <Fact label="Fires">{limitWords(alert)}</Fact>
            {alert.factor !== null && alert.factor > 1 ? <Fact label="Raised">{raisedWords(alert.factor)}</Fact> : null}
            <Fact label="Over">{timeWords(alert)}</Fact>
            {counts ? <Fact label={`Minimum ${counts}`}>{alert.minCount}</Fact> : null}
            <Fact label="Sent to">{channelsOf(alert)}</Fact>
            <Fact label="Created">
              <ExactTime at={alert.createdAt} />
            </Fact>
            <Fact label="ID">
              <IdText id={alert.id} />
            </Fact>
          </DataList>
          <Firings projectId={projectId} alert={alert} />
        </Stack>
      ) : (
        <PeekUnread what="alert" query={one} />
      )}
    </PeekPanel>
  );
}

/** The time that is measured. */
function timeWords({ measure, condition, windowMinutes }: Alert) {
  const { period } = MEASURES[measure];
  if (period === "arrival") return "since the last arrival";
  if (period === "window" || condition === "change") return `the last ${windowMinutes} minutes`;
  return `the UTC ${period} so far`;
}
