"use client";
import { Button, Skeleton, Stack, Tabs } from "@mantine/core";
import { IconMessageOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useMemo, useState } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useListHref } from "@/app/_lib/list-place";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { useMay } from "../../../_components/access/membership";
import classes from "./conversation-page.module.css";
import { CostTab } from "./cost/cost-tab";
import { ConversationHeader } from "./header/conversation-header";
import { Facts } from "./rail/facts";
import { FindingsRail } from "./rail/findings-rail";
import rail from "./rail/rail.module.css";
import { useOccurrences } from "./rail/use-occurrences";
import { SpansTab } from "./spans/spans-tab";
import { marksOf } from "./transcript/marks";
import { Transcript } from "./transcript/transcript";

const TABS = ["transcript", "cost", "spans"] as const;

export function ConversationPage({ projectId, conversationId }: { projectId: string; conversationId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const back = useListHref(`/p/${projectId}/conversations`);
  // State and not a ref: what is inside has to know when it is there.
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [{ tab, trace, span }, setView] = useQueryStates({
    tab: parseAsStringLiteral(TABS).withDefault("transcript"),
    trace: parseAsString,
    span: parseAsString,
  });
  const mayLabel = useMay("diagnostics:write");
  const [labelling, setLabelling] = useState(false);
  const query = useQuery(
    trpc.conversations.get.queryOptions({ projectId, conversationId }, { refetchInterval: 30_000 }),
  );
  const conversation = query.data?.conversation;
  // Findings are listed by our id; the address may carry the client's own.
  const {
    findings,
    pairs,
    isPending,
    error: findingsError,
  } = useOccurrences(projectId, conversation?.id ?? conversationId);
  const marks = useMemo(() => marksOf(pairs), [pairs]);

  const goToMark = (by: 1 | -1) => {
    const turns = [...marks.byMessage.keys()].sort((a, b) => a - b);
    const at = Number(/^#m-(\d+)$/.exec(window.location.hash)?.[1] ?? (by === 1 ? -1 : Number.POSITIVE_INFINITY));
    const next =
      by === 1 ? (turns.find((turn) => turn > at) ?? turns[0]) : (turns.findLast((turn) => turn < at) ?? turns.at(-1));
    if (next !== undefined) window.location.hash = `m-${next}`;
  };
  const goToTab = (by: number) =>
    void setView({ tab: TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? "transcript" });
  const move = {
    n: () => goToMark(1),
    p: () => goToMark(-1),
    "]": () => goToTab(1),
    "[": () => goToTab(-1),
  };
  useKeys({
    ...(labelling ? {} : move),
    l: (event) => {
      if (!mayLabel) return;
      // The letter is a key, and not the first of a label.
      event.preventDefault();
      setLabelling(true);
    },
    [ESC]: () => (labelling ? setLabelling(false) : span ? void setView({ span: null }) : router.push(back)),
  });

  if (!conversation) {
    return query.error ? (
      <>
        <PageHeader title="Conversation" />
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      </>
    ) : (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the conversation">
        {[40, 90, 70, 80, 60, 85].map((width) => (
          <Skeleton key={width} height={14} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  if (problemOf(query.error).status === 404) {
    return (
      <>
        <PageHeader title="Conversation" />
        <EmptyState
          icon={<IconMessageOff size={32} stroke={1.5} aria-hidden />}
          title="This conversation is no longer here"
          action={
            <Button component={Link} href={back}>
              All conversations
            </Button>
          }
        >
          It was deleted while this page was open, so what it showed is gone from it.
        </EmptyState>
      </>
    );
  }
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
      <Tabs
        value={tab}
        onChange={(value) => void setView({ tab: TABS.find((known) => known === value) ?? "transcript" })}
        className={classes.tabs}
      >
        <Tabs.List px="xs">
          <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
          <Tabs.Tab value="cost">Cost</Tabs.Tab>
          <Tabs.Tab value="spans">Spans</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="transcript" className={classes.panel}>
          <div className={classes.columns} ref={setScroller}>
            <div className={classes.main}>
              <Transcript
                projectId={projectId}
                conversation={conversation}
                marks={marks.byMessage}
                scroller={scroller}
              />
            </div>
            <aside className={classes.rail} aria-label="Findings and facts">
              <section className={classes.first}>
                <h2 className={rail.title}>Findings</h2>
                {findingsError ? (
                  <p className={rail.quiet}>Findings could not be read.</p>
                ) : (
                  <FindingsRail projectId={projectId} findings={findings} pairs={pairs} isPending={isPending} />
                )}
                {marks.bySpan.length > 0 ? (
                  <p className={rail.turns}>
                    {marks.bySpan.slice(0, 5).map((mark) =>
                      mark.spanId ? (
                        <a key={mark.spanId} href={`?tab=spans&span=${mark.spanId}`} title={mark.quote}>
                          span {mark.spanId.slice(0, 8)}
                        </a>
                      ) : null,
                    )}
                  </p>
                ) : null}
              </section>
              <section className={classes.last}>
                <h2 className={rail.title}>Facts</h2>
                <Facts projectId={projectId} conversation={conversation} />
              </section>
            </aside>
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="cost" className={classes.panel}>
          <CostTab projectId={projectId} conversation={conversation} />
        </Tabs.Panel>
        <Tabs.Panel value="spans" className={classes.panel}>
          <SpansTab
            projectId={projectId}
            conversationId={conversation.id}
            traceIds={conversation.traceIds}
            traceId={trace}
            spanId={span}
            onChange={(next) => void setView(next)}
          />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
