"use client";
import { DataList, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
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
          <CallSnippet origin={origin} model={alias.name} />
        </Stack>
      ) : (
        <PeekUnread what="alias" query={one} />
      )}
    </PeekPanel>
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
