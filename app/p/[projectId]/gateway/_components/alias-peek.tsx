"use client";
import { Button, DataList, Group, List, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ListAction } from "@/app/_components/data-table/types";
import { PeekActions } from "@/app/_components/layout/peek-actions";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { PeekUnread } from "@/app/_components/layout/peek-unread";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { GatewayAlias } from "@/server/services/gateway/aliases/schemas";
import { useMay } from "../../_components/access/membership";
import { Experiments } from "../../_components/experiments/experiments";
import { StartExperiment } from "../../_components/experiments/start-experiment";
import type { ModelConnection } from "../../_components/variants/use-model-connections";
import { CallSnippet } from "./call-snippet";
import { targetName, whySkipped } from "./target-words";

type Props = {
  projectId: string;
  origin: string;
  aliasId: string;
  /** As in the list, if it is among the loaded rows. */
  listed: GatewayAlias | undefined;
  connections: readonly ModelConnection[];
  actions: readonly ListAction<GatewayAlias>[];
  onAct: (actionId: string, alias: GatewayAlias) => void;
  onClose: () => void;
};

/** An alias in full, with its actions. */
export function AliasPeek({ projectId, origin, aliasId, listed, connections, actions, onAct, onClose }: Props) {
  const trpc = useTRPC();
  const one = useQuery(
    trpc.gatewayAliases.get.queryOptions({ projectId, gatewayAliasId: aliasId }, { enabled: !listed }),
  );
  const alias = listed ?? one.data?.alias;
  return (
    <PeekPanel label="Alias" title={alias?.name ?? "Alias"} onClose={onClose}>
      {alias ? (
        <Stack p="md" gap="md">
          <PeekActions row={alias} actions={actions} onAct={onAct} />
          <Targets alias={alias} connections={connections} />
          <DataList orientation="horizontal" gap="xs">
            <Fact label="Retries of each">{formatCount(alias.retries)}</Fact>
            <Fact label="First content within">{secondsWords(alias.firstTokenSeconds)}</Fact>
            <Fact label="Whole call within">{secondsWords(alias.totalSeconds)}</Fact>
            <Fact label="Output tokens">
              {alias.maxOutputTokens === null
                ? "as the call says"
                : `${formatCount(alias.maxOutputTokens)} unless the call says`}
            </Fact>
            <Fact label="Changed">
              <ExactTime at={alias.updatedAt} />
            </Fact>
            <Fact label="ID">
              <IdText id={alias.id} />
            </Fact>
          </DataList>
          <TriedVariants projectId={projectId} alias={alias} />
          <CallSnippet origin={origin} model={alias.name} />
        </Stack>
      ) : (
        <PeekUnread what="alias" query={one} />
      )}
    </PeekPanel>
  );
}

/** What is tried on a share of its conversations. */
function TriedVariants({ projectId, alias }: { projectId: string; alias: GatewayAlias }) {
  const may = useMay("project:models:manage");
  const [isStarting, setStarting] = useState(false);
  return (
    <Stack gap="xs" component="section" aria-label="Experiments">
      <Group justify="space-between">
        <Title order={3} fz="sm">
          Experiments
        </Title>
        {may && alias.experiment === null ? (
          <Button variant="default" size="xs" onClick={() => setStarting(true)}>
            Try a variant…
          </Button>
        ) : null}
      </Group>
      <Experiments
        projectId={projectId}
        of={{ gatewayAliasId: alias.id }}
        empty="No variant has been tried on it yet. A share of its conversations can be answered with another prompt or model, and compared with the others."
      />
      <StartExperiment
        projectId={projectId}
        subject={isStarting ? { alias } : null}
        onClose={() => setStarting(false)}
      />
    </Stack>
  );
}

const secondsWords = (seconds: number | null) => (seconds === null ? "no limit" : `${formatCount(seconds)} s`);

const Targets = ({ alias, connections }: { alias: GatewayAlias; connections: readonly ModelConnection[] }) => (
  <List type="ordered" size="sm" aria-label="Models, in order">
    {alias.targets.map((target, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: one target may be listed twice
      <List.Item key={at} style={{ overflowWrap: "anywhere" }}>
        {targetName(target, connections)}
        {target.callable ? null : (
          <Text size="xs" c="dimmed">
            {whySkipped(target)}
          </Text>
        )}
      </List.Item>
    ))}
  </List>
);
