"use client";
import { Button, NativeSelect } from "@mantine/core";
import { IconHistoryToggle } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { ListPage } from "@/app/_components/data-table/list-page";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import { useMay } from "../../_components/access/membership";
import { useRuleNames } from "../../_components/findings/rule-name";
import { ViewsMenu } from "../../_components/saved-views/views-menu";
import { RuleSelect } from "../../findings/_components/rule-select";
import { BackfillPeek } from "./backfill-peek";
import { STATUS } from "./backfill-status";
import { isRunning } from "./backfill-words";
import { CancelBackfill } from "./cancel-backfill";
import { columnsOf, windowWords } from "./columns";
import { NewBackfill } from "./new-backfill";
import { useBackfillActions } from "./use-backfill-actions";
import { CLOSED, isFiltered, listInput, NO_FILTERS, STATUSES, savedParsers, viewParsers } from "./view";

const BUSY_MS = 1000;
const FIRST_RULE = "tool-failure";

/** Backfills with their live progress; starts, pauses, resumes and cancels them. */
export function Backfills({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const may = useMay("diagnostics:write");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const nameOf = useRuleNames();
  const [cancelling, setCancelling] = useState<Backfill | null>(null);
  const actions = useBackfillActions(projectId, setCancelling);
  const list = useInfiniteQuery(
    trpc.backfills.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: pollList((page) => page.backfills.some((one) => isRunning(one) && one.pausedAt === null), {
        busyMs: BUSY_MS,
      }),
    }),
  );
  const rows = list.data?.pages.flatMap((page) => page.backfills) ?? [];
  const columns = columnsOf(projectId);
  const open = () => void setView({ new: view.rule ?? FIRST_RULE });
  return (
    <ListPage
      title="Backfills"
      filters={
        <>
          <NativeSelect
            aria-label="Status"
            value={view.status ?? ""}
            onChange={(event) =>
              void setView({ status: STATUSES.find((known) => known === event.currentTarget.value) ?? null })
            }
            data={[
              { value: "", label: "Any status" },
              ...STATUSES.map((value) => ({ value, label: STATUS[value].word })),
            ]}
          />
          <RuleSelect value={view.rule} onChange={(rule) => void setView({ rule })} />
        </>
      }
      menus={<ViewsMenu projectId={projectId} list="backfills" parsers={savedParsers} />}
      buttons={may ? <Button onClick={open}>New backfill</Button> : null}
      list={list}
      what="backfill"
      columns={columns}
      rows={rows}
      rowId={({ id }) => id}
      rowName={(one) => `${nameOf(one.ruleId)}, ${windowWords(one)}`}
      rowHref={({ id }) => `?peek=${encodeURIComponent(id)}`}
      linkPeeks
      rowHeight={54}
      minWidth={340}
      minWidthAside={340}
      dimmed={({ cancelledAt }) => cancelledAt !== null}
      actions={actions}
      peek={({ id, close, act, busy }) => (
        <BackfillPeek
          key={id}
          projectId={projectId}
          backfillId={id}
          actions={actions}
          onAct={act}
          busy={busy}
          onClose={close}
        />
      )}
      empty={
        isFiltered(view) ? (
          <NoMatch title="No backfill matches" onClear={() => void setView(NO_FILTERS)} />
        ) : (
          <EmptyState
            icon={IconHistoryToggle}
            title="No backfills yet"
            action={may ? <Button onClick={open}>New backfill</Button> : null}
          >
            Rules check new conversations automatically. A backfill runs one Rule on past conversations, for example
            after you changed it or turned it on.
          </EmptyState>
        )
      }
    >
      <NewBackfill projectId={projectId} view={view} setView={setView} onClose={() => void setView(CLOSED)} />
      <CancelBackfill projectId={projectId} backfill={cancelling} onClose={() => setCancelling(null)} />
    </ListPage>
  );
}
