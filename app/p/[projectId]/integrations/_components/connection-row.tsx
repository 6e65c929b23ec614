"use client";
import { ActionIcon, Box, Button, Group, Menu, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Connection } from "@/server/services/connections/schemas";
import { KIND_WORDS } from "./kind-words";
import { LastTest } from "./last-test";

const ON_ONE_LINE = { whiteSpace: "nowrap" } as const;

type Named = Pick<Connection, "id" | "kind" | "name">;

/** A connection as every member sees it. */
export const NamedConnection = ({ connection: { kind, name }, index }: { connection: Named; index: number }) => (
  <ListRow index={index}>
    <Table.Td fw={500}>{name}</Table.Td>
    <Table.Td>{KIND_WORDS[kind].label}</Table.Td>
  </ListRow>
);

type Props = {
  projectId: string;
  connection: Connection;
  index: number;
  onEdit: () => void;
  onDelete: () => void;
};

/** A connection with its manager's details and actions. */
export function ManagedConnection({ projectId, connection, index, onEdit, onDelete }: Props) {
  const { kind, name, baseUrl, secretSet, lastTest } = connection;
  const test = useTest(connection);
  const { host } = new URL(baseUrl);
  return (
    <ListRow index={index}>
      <Table.Td fw={500}>
        {name}
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {KIND_WORDS[kind].label}, {host}
        </Text>
        <Box hiddenFrom="sm" fw={400}>
          <LastTest test={lastTest} />
        </Box>
      </Table.Td>
      <Table.Td style={ON_ONE_LINE} {...ROOMY}>
        {KIND_WORDS[kind].label}
      </Table.Td>
      <Table.Td className="mono" title={baseUrl} {...ROOMY}>
        {host}
      </Table.Td>
      <Table.Td style={ON_ONE_LINE} {...ROOMY}>
        {secretSet ? "Set" : "Not set"}
      </Table.Td>
      <Table.Td {...ROOMY}>
        <LastTest test={lastTest} />
      </Table.Td>
      <Table.Td ta="end">
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
              <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={onEdit}>
                Edit…
              </Menu.Item>
              <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={onDelete}>
                Delete…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Table.Td>
    </ListRow>
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
          message: test.ok ? `"${name}" works.` : `"${name}" failed its test: ${test.problems.join(" ")}`,
          ...(test.ok ? {} : { color: "red" }),
        });
      },
      onError: (error) =>
        notifications.show({ message: `"${name}" was not tested: ${problemOf(error).detail}`, color: "red" }),
    }),
  );
}
