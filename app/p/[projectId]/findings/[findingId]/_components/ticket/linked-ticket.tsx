"use client";
import { Anchor, DataList, Group, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Ago, AgoOr } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { actorWords } from "../../../../_components/access/actor-words";
import { TRACKER_WORDS } from "../../../../_components/work-items/tracker-words";
import classes from "../finding-page.module.css";
import { AfterFailure } from "./after-failure";
import { CodeReferences } from "./code-references";
import { SyncLog } from "./sync-log";
import { TicketMenu } from "./ticket-menu";
import type { WorkItem } from "./ticket-words";

const STATES: Partial<Record<WorkItem["state"], { word: string; color: string; hollow?: boolean }>> = {
  pending: { word: "Pending", color: "var(--severity-low)", hollow: true },
  open: { word: "Open", color: "var(--mantine-primary-color-filled)" },
  closed: { word: "Closed", color: "var(--state-ok)" },
  failed: { word: "Failed", color: "var(--severity-critical)" },
};

const isHttp = (url: string) => /^https?:/i.test(url);

/** Returns whether the tracker has its own name for the ticket's state. */
const isNamedOtherwise = ({ state, externalState }: WorkItem) =>
  externalState !== null && (state === "open" || state === "closed") && externalState.toLowerCase() !== state;

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
/** The log is polled because a comment does not change the work item, so it would go unnoticed. */
const LOG_MS = 10_000;

type Props = {
  projectId: string;
  item: WorkItem;
  /** Absent if the ticket belongs to a Finding that was merged into the page's. */
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
  const state = STATES[item.state];
  const { label } = TRACKER_WORDS[item.provider];
  return (
    <>
      <Group justify="space-between" wrap="nowrap" mb={8}>
        <h2 className={classes.heading} style={{ margin: 0 }}>
          {onReplace ? "Ticket" : "Ticket of a merged Finding"}
        </h2>
        <TicketMenu projectId={projectId} item={item} onReplace={onReplace} />
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
          {isNamedOtherwise(item) ? (
            <Text size="xs" c="dimmed">
              {label} says “{item.externalState}”
            </Text>
          ) : null}
        </Fact>
        {item.error === null ? null : (
          <Fact label="Problem">
            <Text size="xs" c="var(--mantine-color-error)" role="status">
              {item.error}
            </Text>
          </Fact>
        )}
        {item.nextAttemptAt === null ? null : (
          <Fact label="Next attempt">
            <ExactTime at={item.nextAttemptAt} /> (<Ago at={item.nextAttemptAt} />)
          </Fact>
        )}
        <Fact label="Last synced">
          <AgoOr at={item.lastSyncedAt} otherwise={item.state === "pending" ? "Not created yet" : "Never"} />
        </Fact>
        <Fact label="Handed off">
          {item.handoffRuleId === null ? actorWords(item.createdBy) : "By a handoff rule"}, <Ago at={item.createdAt} />
        </Fact>
      </DataList>
      <AfterFailure projectId={projectId} item={item} changes={changes} onReplace={onReplace} />
      <CodeReferences projectId={projectId} item={item} />
      <SyncLog list={log} changes={changes} />
    </>
  );
}
