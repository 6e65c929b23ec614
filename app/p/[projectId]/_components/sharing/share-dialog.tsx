"use client";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../access/membership";
import { ActiveLinks } from "./active-links";
import { ShareForm } from "./share-form";
import { ShareLinkOnce } from "./share-link-once";
import type { Sharable } from "./share-words";

type Props = { projectId: string; shared: Sharable; onClose: () => void };

/** The form for a new link, then the link itself, and the links that already work. */
export function ShareDialog({ projectId, shared, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const settings = useQuery(trpc.shareLinks.getSettings.queryOptions({ projectId }));
  const create = useMutation(
    trpc.shareLinks.create.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.shareLinks.pathKey() }),
    }),
  );
  if (!settings.data) {
    return settings.error ? (
      <ErrorState error={settings.error} onRetry={() => void settings.refetch()} retrying={settings.isFetching} />
    ) : (
      <Skeleton height={220} role="status" aria-label="Loading the settings of share links" />
    );
  }
  if (!settings.data.settings.enabled) return <TurnOn projectId={projectId} onClose={onClose} />;
  return (
    <Stack gap="lg">
      {create.data ? (
        <ShareLinkOnce token={create.data.token} onDone={onClose} />
      ) : (
        <ShareForm
          error={create.error}
          creating={create.isPending}
          onCreate={(choice) => create.mutate({ projectId, ...shared, ...choice })}
          onCancel={onClose}
        />
      )}
      <ActiveLinks projectId={projectId} shared={shared} />
    </Stack>
  );
}

/** Why nothing can be shared yet, with what solves it for those who may. */
function TurnOn({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mayTurnOn = useMay("project:admin");
  const update = useMutation(
    trpc.shareLinks.updateSettings.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.shareLinks.pathKey() }),
    }),
  );
  return (
    <Stack gap="md">
      <Text size="sm">
        Share links are off in this project. When they are on, members who may review can give anyone a link to a copy
        of one conversation or one Finding, without an account.{" "}
        {mayTurnOn ? "You can turn them off again in Settings." : "Ask an owner to turn them on in Settings."}
      </Text>
      <Refused error={update.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {mayTurnOn ? (
          <Button loading={update.isPending} onClick={() => update.mutate({ projectId, enabled: true })}>
            Turn on share links
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}
