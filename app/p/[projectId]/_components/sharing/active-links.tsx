"use client";
import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { MASKING_WORDS, type Sharable } from "./share-words";
import { useRevokeShareLink } from "./use-share-links";

const LINKS_SHOWN = 20;

/** The links to one conversation or Finding that work; renders nothing if there are none. */
export function ActiveLinks({ projectId, shared }: { projectId: string; shared: Sharable }) {
  const trpc = useTRPC();
  const links = useQuery(trpc.shareLinks.list.queryOptions({ projectId, ...shared, active: true, limit: LINKS_SHOWN }));
  const { revoking, onRevoke } = useRevokeShareLink(projectId);
  const active = links.data?.shareLinks ?? [];
  if (active.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Active links">
      <Title order={3} fz="sm">
        Active links
      </Title>
      {active.map(({ id, masking, expiresAt, openedCount }) => (
        <Group key={id} justify="space-between" wrap="nowrap" gap="sm">
          <Text size="sm">
            {MASKING_WORDS[masking].label}, expires <Ago at={expiresAt} />, opened {plural(openedCount, "time")}
          </Text>
          <Button
            variant="default"
            size="compact-xs"
            flex="none"
            loading={revoking === id}
            onClick={() => onRevoke(id)}
            aria-label={`Revoke the link: ${MASKING_WORDS[masking].label}`}
          >
            Revoke
          </Button>
        </Group>
      ))}
      {links.data?.pagination.nextCursor ? (
        <Text size="xs" c="dimmed">
          The newest {LINKS_SHOWN}. All links are listed in Settings.
        </Text>
      ) : null}
    </Stack>
  );
}
