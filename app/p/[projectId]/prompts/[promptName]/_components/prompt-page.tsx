"use client";
import { Button, Skeleton, Stack, Tabs } from "@mantine/core";
import { IconMessageOff } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { pageHref } from "../../../_components/shell/pages";
import { LabelEvents } from "./label-events";
import classes from "./prompt.module.css";
import { PromptHeader } from "./prompt-header";
import { ReadIt } from "./read-it";
import { VersionsTab } from "./versions-tab";
import { TABS, usageInput, versionsInput, viewParsers } from "./view";

type Props = { projectId: string; promptName: string; openedAt: number; url: string };

/** A prompt: its versions with their numbers, the moves of its labels, and how an application reads it. */
export function PromptPage({ projectId, promptName, openedAt, url }: Props) {
  const trpc = useTRPC();
  const router = useRouter();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.prompts.versions.infiniteQueryOptions(versionsInput(projectId, promptName), nextPage),
  );
  const usage = useQuery(
    trpc.prompts.usage.queryOptions(usageInput(projectId, promptName, view, openedAt), {
      placeholderData: (previous) => previous,
    }),
  );
  useKeys({ [ESC]: () => router.push(pageHref(projectId, "prompts")) });
  const prompt = list.data?.pages[0];
  if (problemOf(list.error).status === 404) return <Gone projectId={projectId} promptName={promptName} />;
  if (!prompt) {
    return list.error ? (
      <>
        <PageHeader title="Prompt" />
        <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
      </>
    ) : (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the prompt">
        {[40, 90, 70, 80, 60].map((width) => (
          <Skeleton key={width} height={14} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  const show = (tab: string | null) =>
    void setView({ tab: TABS.find((known) => known === tab) ?? null, peek: null, sort: null, hide: null });
  return (
    <>
      <PromptHeader projectId={projectId} prompt={prompt} />
      <Tabs value={view.tab} onChange={show} className={classes.tabs} keepMounted={false}>
        <Tabs.List px="xs" aria-label="Parts of the prompt">
          <Tabs.Tab value="versions">Versions</Tabs.Tab>
          <Tabs.Tab value="labels">Moved labels</Tabs.Tab>
          <Tabs.Tab value="read">Read it</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="versions" className={classes.panel}>
          <VersionsTab
            projectId={projectId}
            prompt={prompt}
            list={list}
            versions={list.data?.pages.flatMap((page) => page.versions) ?? []}
            usage={usage}
            view={view}
            now={openedAt}
            onRange={(range) => void setView(range)}
          />
        </Tabs.Panel>
        <Tabs.Panel value="labels" className={classes.panel}>
          <LabelEvents projectId={projectId} promptName={promptName} />
        </Tabs.Panel>
        <Tabs.Panel value="read" className={classes.panel}>
          <ReadIt url={url} prompt={prompt} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const Gone = ({ projectId, promptName }: { projectId: string; promptName: string }) => (
  <>
    <PageHeader title="Prompt" />
    <EmptyState
      icon={IconMessageOff}
      title="Prompt not found"
      action={
        <Button component={Link} href={pageHref(projectId, "prompts")}>
          All prompts
        </Button>
      }
    >
      There is no prompt “{promptName}” in this project. It may have been deleted.
    </EmptyState>
  </>
);
