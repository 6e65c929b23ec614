"use client";
import { Button, Skeleton, Stack, Tabs } from "@mantine/core";
import { IconMessageOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useMemo, useState } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { Continued } from "./continued/continued";
import classes from "./conversation-page.module.css";
import { CostTab } from "./cost/cost-tab";
import { ConversationHeader } from "./header/conversation-header";
import { summaryInput } from "./inputs";
import { useOccurrences } from "./rail/use-occurrences";
import { SpansTab } from "./spans/spans-tab";
import { marksOf } from "./transcript/marks";
import { TranscriptTab } from "./transcript-tab";
import { useConversationKeys } from "./use-conversation-keys";
import { useConversationView } from "./view";

const LIVE_MS = 5_000;
const IDLE_MS = 30_000;
/** A conversation with activity in the last minutes may well have more. */
const ACTIVE_FOR_MS = 5 * 60_000;
const isLive = ({ lastActivityAt }: { lastActivityAt: number }) => Date.now() - lastActivityAt < ACTIVE_FOR_MS;

export function ConversationPage({ projectId, conversationId }: { projectId: string; conversationId: string }) {
  const trpc = useTRPC();
  const back = useListHref(`/p/${projectId}/conversations`);
  const view = useConversationView();
  const [labelling, setLabelling] = useState(false);
  // Not in the URL's hash: the router, which is changing the tab, would remove it again.
  const [wanted, setWanted] = useState<{ index: number } | null>(null);
  // A tab is loaded when it is first shown, and keeps its state after that.
  const [shown, setShown] = useState([view.tab]);
  if (!shown.includes(view.tab)) setShown([...shown, view.tab]);
  const query = useQuery(
    trpc.conversations.get.queryOptions(summaryInput(projectId, conversationId), {
      refetchInterval: ({ state }) => (state.data && isLive(state.data.conversation) ? LIVE_MS : IDLE_MS),
    }),
  );
  const conversation = query.data?.conversation;
  // Findings are listed by our id; the URL may contain the client's.
  const found = useOccurrences(projectId, conversation?.id ?? conversationId);
  const { pairs } = found;
  const marks = useMemo(() => marksOf(pairs), [pairs]);
  useConversationKeys({ view, back, marked: [...marks.byMessage.keys()], labelling, onLabelling: setLabelling });

  if (!conversation) {
    return query.error ? (
      <>
        <PageHeader title="Conversation" />
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      </>
    ) : (
      <Loading />
    );
  }
  if (problemOf(query.error).status === 404) return <Gone back={back} />;
  return (
    <>
      <ConversationHeader
        projectId={projectId}
        back={back}
        conversation={conversation}
        labelling={labelling}
        onLabelling={setLabelling}
      />
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      {conversation.externalId === null ? <Continued projectId={projectId} conversationId={conversation.id} /> : null}
      <Tabs value={view.tab} onChange={view.showTab} className={classes.tabs}>
        <Tabs.List px="xs">
          <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
          <Tabs.Tab value="cost">Cost</Tabs.Tab>
          <Tabs.Tab value="spans">Spans</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="transcript" className={classes.panel}>
          {shown.includes("transcript") ? (
            <TranscriptTab
              projectId={projectId}
              conversation={conversation}
              found={found}
              marks={marks}
              wanted={wanted}
              onSpan={view.showSpan}
            />
          ) : null}
        </Tabs.Panel>
        <Tabs.Panel value="cost" className={classes.panel}>
          {shown.includes("cost") ? <CostTab projectId={projectId} conversation={conversation} /> : null}
        </Tabs.Panel>
        <Tabs.Panel value="spans" className={classes.panel}>
          {shown.includes("spans") ? (
            <SpansTab
              projectId={projectId}
              conversationId={conversation.id}
              traceIds={conversation.traceIds}
              version={conversation.version}
              view={view.spans}
              onChange={view.show}
              onMessage={(index) => {
                setWanted({ index });
                view.showTab("transcript");
              }}
            />
          ) : null}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const Loading = () => (
  <Stack p="md" gap="lg" role="status" aria-label="Loading the conversation">
    {[40, 90, 70, 80, 60, 85].map((width) => (
      <Skeleton key={width} height={14} width={`${width}%`} />
    ))}
  </Stack>
);

const Gone = ({ back }: { back: string }) => (
  <>
    <PageHeader title="Conversation" />
    <EmptyState
      icon={IconMessageOff}
      title="This conversation was deleted"
      action={
        <Button component={Link} href={back}>
          All conversations
        </Button>
      }
    >
      It was deleted while this page was open, so its content is no longer shown.
    </EmptyState>
  </>
);
