"use client";
import { ActionIcon, Box, Button, Group, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPencil, IconTrash, IconWebhook } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListColumn } from "@/app/_components/data-table/types";
import { quoted } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { type Connection, isTracker } from "@/server/services/connections/schemas";
import { KIND_WORDS } from "./kind-words";
import { LastDelivery } from "./last-delivery";
import { LastTest } from "./last-test";

/** A connection with its manager's details, or the part of it that every member sees. */
export type Listed = RouterOutputs["connections"]["list"]["connections"][number];

const isManaged = (connection: Listed): connection is Connection => "baseUrl" in connection;
const hostOf = (connection: Listed) => (isManaged(connection) ? new URL(connection.baseUrl).host : undefined);

const KIND: ListColumn<Listed> = {
  id: "kind",
  header: "Kind",
  accessorFn: ({ kind }) => KIND_WORDS[kind].label,
  cell: ({ row }) => <span style={{ whiteSpace: "nowrap" }}>{KIND_WORDS[row.original.kind].label}</span>,
};

const nameColumn = (projectId: string): ListColumn<Listed> => ({
  id: "name",
  header: "Name",
  accessorFn: ({ name }) => name,
  meta: { link: true },
  cell: ({ row: { original } }) => (
    <>
      <b>{original.name}</b>
      {isManaged(original) ? (
        <Box hiddenFrom="sm">
          <Text size="xs" c="dimmed">
            {KIND_WORDS[original.kind].label}, {hostOf(original)}
          </Text>
          <LastTest connection={original} />
          {original.webhookSet ? (
            <Group gap={4} wrap="nowrap" align="baseline">
              <Text size="xs" c="dimmed" flex="none">
                Webhook:
              </Text>
              <LastDelivery projectId={projectId} connection={original} />
            </Group>
          ) : null}
        </Box>
      ) : null}
    </>
  ),
});

/** The columns for readers who may not manage connections. */
export const nameColumns = (projectId: string): ListColumn<Listed>[] => [nameColumn(projectId), KIND];

type Options = {
  projectId: string;
  onEdit: (connection: Connection) => void;
  onWebhook: (connection: Connection) => void;
  onDelete: (connection: Connection) => void;
};

export const managedColumns = (options: Options): ListColumn<Listed>[] => [
  nameColumn(options.projectId),
  { ...KIND, meta: { roomy: true } },
  {
    id: "host",
    header: "Host",
    accessorFn: hostOf,
    meta: { roomy: true },
    cell: ({ row: { original } }) => (
      <span className="mono" title={isManaged(original) ? original.baseUrl : undefined}>
        {hostOf(original)}
      </span>
    ),
  },
  {
    id: "secret",
    header: "Secret",
    meta: { roomy: true },
    cell: ({ row: { original } }) => (isManaged(original) ? (original.secretSet ? "Set" : "Not set") : null),
  },
  {
    id: "test",
    header: "Last test",
    accessorFn: (connection) => (isManaged(connection) ? (connection.lastTest?.at ?? undefined) : undefined),
    meta: { roomy: true },
    cell: ({ row: { original } }) => (isManaged(original) ? <LastTest connection={original} /> : null),
  },
  {
    id: "webhook",
    header: "Webhook",
    meta: { roomy: true },
    cell: ({ row: { original } }) =>
      isManaged(original) ? <LastDelivery projectId={options.projectId} connection={original} /> : null,
  },
  {
    id: "actions",
    header: "",
    meta: { controls: true },
    cell: ({ row: { original } }) => (isManaged(original) ? <Actions connection={original} {...options} /> : null),
  },
];

function Actions({ projectId, connection, onEdit, onWebhook, onDelete }: Options & { connection: Connection }) {
  const { name } = connection;
  const test = useTest(connection);
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-xs"
        loading={test.isPending}
        onClick={() => test.mutate({ projectId, connectionId: connection.id })}
        aria-label={`Test ${name}`}
      >
        Test
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => onEdit(connection)}>
            Edit…
          </Menu.Item>
          {isTracker(connection.kind) ? (
            <Menu.Item leftSection={<IconWebhook size={14} aria-hidden />} onClick={() => onWebhook(connection)}>
              Webhook…
            </Menu.Item>
          ) : null}
          <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => onDelete(connection)}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

function useTest({ name }: Connection) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return useMutation(
    trpc.connections.test.mutationOptions({
      onSuccess: ({ test }) => {
        void queries.invalidateQueries({ queryKey: trpc.connections.list.pathKey() });
        notifications.show({
          message: test.ok ? `${quoted(name)} works` : `${quoted(name)} failed its test: ${test.problems.join(" ")}`,
          ...(test.ok ? {} : { color: "red" }),
        });
      },
      onError: (error) =>
        notifications.show({ message: `${quoted(name)} was not tested: ${problemOf(error).detail}`, color: "red" }),
    }),
  );
}
