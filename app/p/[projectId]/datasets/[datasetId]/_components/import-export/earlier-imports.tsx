"use client";
import { Anchor, Group, List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ImportStatus } from "./import-status";
import { isRunning, resultWords } from "./import-words";

const POLL_MS = 2000;
const SHOWN = 20;

type Props = { projectId: string; datasetId: string; onOpen: (importId: string) => void };

/** The Dataset's newest imports with their results; each can be opened. */
export function EarlierImports({ projectId, datasetId, onOpen }: Props) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.datasetImports.list.queryOptions(
      { projectId, datasetId, limit: SHOWN },
      { refetchInterval: ({ state }) => (state.data?.imports.some(isRunning) ? POLL_MS : false) },
    ),
  );
  const imports = query.data?.imports ?? [];
  if (imports.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        Earlier imports
      </Text>
      <List size="sm" listStyleType="none" aria-label="Earlier imports">
        {imports.map((one) => (
          <List.Item key={one.id}>
            <Group gap="xs">
              <ImportStatus shown={one} />
              <Anchor component="button" type="button" size="sm" onClick={() => onOpen(one.id)}>
                {one.fileName}
              </Anchor>
              <Text size="sm" c="dimmed" span>
                {isRunning(one) ? "" : `${resultWords(one)} · `}
                {one.fileErasedAt === null ? "" : "file deleted with a user’s data · "}
                <Ago at={one.createdAt} />
              </Text>
            </Group>
          </List.Item>
        ))}
      </List>
    </div>
  );
}
