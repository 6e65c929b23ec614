"use client";
import { Anchor, Code, List, Modal, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { GatewayAlias } from "@/server/services/gateway/aliases/schemas";
import { pageHref } from "../../_components/shell/pages";
import type { ModelConnection } from "../../_components/variants/use-model-connections";
import { CallSnippet } from "./call-snippet";

type Props = {
  projectId: string;
  origin: string;
  opened: boolean;
  aliases: readonly GatewayAlias[];
  connections: readonly ModelConnection[];
  onClose: () => void;
};

/** Which models can be called, by which names, and how. */
export function HowToCall({ projectId, origin, opened, aliases, connections, onClose }: Props) {
  const trpc = useTRPC();
  // Without a trainer there are no deployments.
  const running = { projectId, purpose: "service" as const, status: "running" as const, limit: 100 };
  const { data } = useQuery(trpc.deployments.list.queryOptions(running, { enabled: opened, retry: false }));
  const names = [
    ...aliases.map(({ name }) => name),
    ...(data?.deployments.map(({ model }) => model) ?? []),
    ...connections.map(({ name, defaultModel }) => `${name}/${defaultModel ?? "MODEL"}`),
  ];
  const [example] = names;
  return (
    <Modal opened={opened} onClose={onClose} title="Call models" size="lg">
      <Stack gap="md">
        {example === undefined ? (
          <Text size="sm">
            There is no model to call yet. Connect one on the page{" "}
            <Anchor component={Link} href={pageHref(projectId, "integrations")}>
              Integrations
            </Anchor>
            .
          </Text>
        ) : (
          <>
            <CallSnippet origin={origin} model={example} />
            <section aria-label="What can be called">
              <Title order={3} size="sm" mb={4}>
                What can be called
              </Title>
              <List size="sm">
                {[...new Set(names)].map((name) => (
                  <List.Item key={name} style={{ overflowWrap: "anywhere" }}>
                    <Code>{name}</Code>
                  </List.Item>
                ))}
              </List>
            </section>
            <Text size="sm" c="dimmed">
              Every model of a connection, as <Code>connection/model</Code>; <Code>GET {origin}/v1/models</Code> lists
              them all. A key is made on the page{" "}
              <Anchor component={Link} href={pageHref(projectId, "api-keys")}>
                API keys
              </Anchor>
              .
            </Text>
          </>
        )}
      </Stack>
    </Modal>
  );
}
