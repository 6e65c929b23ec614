"use client";
import { ActionIcon, Anchor, DataList, Group, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconExternalLink, IconRefresh, IconReplace, IconRotate, IconUnlink } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { Fact } from "@/app/_components/values/fact";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { actorWords } from "../../../../_components/access/actor-words";
import { useMay } from "../../../../_components/access/membership";
import { ConfirmDialog } from "../../../../_components/confirm/confirm-dialog";
import { TRACKER_WORDS } from "../../../../_components/work-items/tracker-words";
import classes from "../finding-page.module.css";
import { tellProblem } from "../use-review";
import { CodeReferences } from "./code-references";
import { SyncLog } from "./sync-log";
import type { WorkItem } from "./ticket-words";

const STATES: Partial<Record<WorkItem["state"], { word: string; color: string; hollow?: boolean }>> = {
  pending: { word: "Pending", color: "var(--severity-low)", hollow: true },
  open: { word: "Open", color: "var(--mantine-primary-color-filled)" },
  closed: { word: "Closed", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};

const nameOf = ({ externalKey, destination }: WorkItem) => externalKey ?? `a ticket in ${destination}`;
const isHttp = (url: string) => /^https?:/i.test(url);

/** A ticket's key as a link to its tracker. */
export function TicketLink({ item }: { item: WorkItem }) {
  const { url, externalKey, destination } = item;
  if (url === null || externalKey === null || !isHttp(url))
    return <span className="mono">{externalKey ?? destination}</span>;
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" className="mono" fz="inherit" underline="always">
      {externalKey}
      <IconExternalLink size={12} aria-label="(opens in a new tab)" style={{ marginInlineStart: 3 }} />
    </Anchor>
  );
}

const LOG_PAGE = 20;
/** A comment changes nothing of the work item, by which one would know. */
const LOG_MS = 10_000;

type Props = {
  projectId: string;
  item: WorkItem;
  /** Without it the ticket belongs to a Finding that was merged into the page's. */
  onReplace?: (() => void) | undefined;
};

/** The ticket that a Finding is linked to, with what can be done to the link. */
export function LinkedTicket({ projectId, item, onReplace }: Props) {
  const trpc = useTRPC();
  const { id: workItemId, findingId } = item;
  const log = useInfiniteQuery(
    trpc.workItems.changes.infiniteQueryOptions(
      { projectId, findingId, workItemId, limit: LOG_PAGE },
      { ...nextPage, refetchInterval: LOG_MS },
    ),
  );
  const changes = log.data?.pages.flatMap((page) => page.changes) ?? [];
  const hasFailed =
    item.state === "failed" || changes.some(({ kind, state }) => state === "failed" && kind !== "create");
  const state = STATES[item.state];
  const { label } = TRACKER_WORDS[item.provider];
  return (
    <>
      <Group justify="space-between" wrap="nowrap" mb={8}>
        <h2 className={classes.heading} style={{ margin: 0 }}>
          {onReplace ? "Ticket" : "Ticket of a merged Finding"}
        </h2>
        <TicketMenu projectId={projectId} item={item} hasFailed={hasFailed} onReplace={onReplace} />
      </Group>
      <DataList size="xs" gap={6} labelWidth={104}>
        <Fact label={label}>
          <TicketLink item={item} />
        </Fact>
        <Fact label="State">
          {state ? (
            <Dot color={state.color} hollow={state.hollow ?? false}>
              {state.word}
            </Dot>
          ) : null}
          {item.externalState === null ? null : (
            <Text size="xs" c="dimmed">
              {label} says “{item.externalState}”
            </Text>
          )}
        </Fact>
        {item.error === null ? null : (
          <Fact label="Problem">
            <Text size="xs" c="var(--mantine-color-error)" role="status">
              {item.error}
            </Text>
          </Fact>
        )}
        <Fact label="Last read">
          <AgoOr at={item.lastSyncedAt} otherwise={item.state === "pending" ? "Not created yet" : "Never"} />
        </Fact>
        <Fact label="Handed off">
          {item.handoffRuleId === null ? actorWords(item.createdBy) : "By a handoff rule"}, <Ago at={item.createdAt} />
        </Fact>
      </DataList>
      <CodeReferences projectId={projectId} item={item} />
      <SyncLog list={log} changes={changes} />
    </>
  );
}

type MenuProps = Props & { hasFailed: boolean };

function TicketMenu({ projectId, item, hasFailed, onReplace }: MenuProps) {
  const may = useMay("diagnostics:write");
  const { sync, retry, abandon } = useTicketChanges(item);
  const [abandoning, setAbandoning] = useState<WorkItem | null>(null);
  const which = { projectId, findingId: item.findingId, workItemId: item.id };
  const { label } = TRACKER_WORDS[item.provider];
  if (!may) return null;
  const isReadable = item.state === "open" || item.state === "closed";
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={sync.isPending || retry.isPending}
            aria-label={`More for ${nameOf(item)}`}
          >
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isReadable ? (
            <Menu.Item leftSection={<IconRefresh size={14} aria-hidden />} onClick={() => sync.mutate(which)}>
              Read now
            </Menu.Item>
          ) : null}
          {hasFailed ? (
            <Menu.Item leftSection={<IconRotate size={14} aria-hidden />} onClick={() => retry.mutate(which)}>
              Try again
            </Menu.Item>
          ) : null}
          {onReplace ? (
            <Menu.Item leftSection={<IconReplace size={14} aria-hidden />} onClick={onReplace}>
              Replace…
            </Menu.Item>
          ) : null}
          <Menu.Item color="red" leftSection={<IconUnlink size={14} aria-hidden />} onClick={() => setAbandoning(item)}>
            Abandon…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        subject={abandoning}
        onClose={() => setAbandoning(null)}
        title={(one) => `Abandon ${nameOf(one)}?`}
        says={() => `The Finding and the ticket no longer follow each other. The ticket stays in ${label}.`}
        action="Abandon ticket"
        keep="Keep it"
        running={abandon}
        onConfirm={() => abandon.mutate(which, { onSuccess: () => setAbandoning(null) })}
      />
    </>
  );
}

function useTicketChanges(item: WorkItem) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const name = nameOf(item);
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
    return queries.invalidateQueries({ queryKey: trpc.workItems.pathKey() });
  };
  const told = (message: string) => ({
    onSettled,
    onSuccess: () => notifications.show({ message }),
    onError: tellProblem,
  });
  const sync = useMutation(trpc.workItems.sync.mutationOptions(told(`Read ${name}`)));
  const retry = useMutation(trpc.workItems.retry.mutationOptions(told(`Tried ${name} again`)));
  const abandon = useMutation(
    trpc.workItems.abandon.mutationOptions({
      onSettled,
      onSuccess: () => notifications.show({ message: `Abandoned ${name}` }),
    }),
  );
  return { sync, retry, abandon };
}
