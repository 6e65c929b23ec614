"use client";
import { Button, Code } from "@mantine/core";
import { IconMessage2Code, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { SearchInput } from "@/app/_components/controls/search-input";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { useMay } from "../../_components/access/membership";
import { promptHref } from "../../_components/prompts/hrefs";
import { COLUMNS } from "./columns";
import { PromptForm } from "./prompt-form";
import { listInput, viewParsers } from "./view";

/** The project's prompts, and the dialog that creates one. */
export function Prompts({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const may = useMay("models:manage");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const list = useInfiniteQuery(
    trpc.prompts.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
    }),
  );
  const add = may ? (
    <Button onClick={() => void setView({ new: true })} leftSection={<IconPlus size={14} aria-hidden />}>
      New prompt
    </Button>
  ) : null;
  return (
    <ListPage
      title="Prompts"
      filters={<SearchInput label="Search names" value={view.q} onChange={(q) => void setView({ q: q || null })} />}
      buttons={add}
      list={list}
      what="prompt"
      columns={COLUMNS}
      rows={list.data?.pages.flatMap((page) => page.prompts) ?? []}
      rowId={({ name }) => name}
      rowName={({ name }) => name}
      rowHref={({ name }) => promptHref(projectId, name)}
      minWidth={340}
      empty={
        view.q.trim() ? (
          <NoMatch title="No prompt matches" onClear={() => void setView({ q: null })} clear="Clear search">
            There may be others with another name.
          </NoMatch>
        ) : (
          <EmptyState icon={IconMessage2Code} title="No prompts yet" action={add}>
            A prompt is kept here in versions, and applications read the one that a label such as{" "}
            <Code>production</Code> points to. Calls that name it are told per version: what they cost, what users said,
            and which Findings occurred. Example: “refund”, with “Answer {"{{question}}"} in two sentences.”
          </EmptyState>
        )
      }
    >
      <PromptForm
        projectId={projectId}
        opened={may && view.new}
        base={null}
        onClose={() => void setView({ new: null })}
        onSaved={({ name }) => router.push(promptHref(projectId, name))}
      />
    </ListPage>
  );
}
