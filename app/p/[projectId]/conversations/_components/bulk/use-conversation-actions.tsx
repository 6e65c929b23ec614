"use client";
import { IconBooks, IconStethoscope, IconTag, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { readAllMatching } from "@/app/_components/data-table/read-all-matching";
import type { ActionTarget, ListAction } from "@/app/_components/data-table/types";
import type { WordsChange } from "@/app/_components/words/change-words";
import { plural, quoted } from "@/app/_lib/format";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc/client";
import type { ConversationSummary } from "@/server/services/telemetry/schemas";
import { useMay } from "../../../_components/access/membership";
import { type AddSelection, AddToDatasets } from "../../../_components/datasets/add-to-datasets";
import { filterInput, type View } from "../view";
import { DeleteDialog } from "./delete-dialog";
import { DiagnoseDialog } from "./diagnose-dialog";
import { forEach } from "./for-each";
import { LabelDialog } from "./label-dialog";
import { useQuestion } from "./use-question";

/** The maximum number of conversations that one request turns into Examples. */
const EXAMPLES_MAX = 100;

const named = ({ preview, externalId, id }: ConversationSummary) => preview ?? externalId ?? id;
/** What was acted on: a single conversation by name. */
const wordsOf = (rows: readonly ConversationSummary[]) =>
  rows.length === 1 && rows[0] ? quoted(named(rows[0])) : plural(rows.length, "conversation");

/** Returns the actions on chosen conversations, and the dialogs that ask for their details. */
export function useConversationActions(projectId: string, view: View, now: number) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const may = useMay("diagnostics:write");
  const mayDelete = useMay("project:admin");
  const mayTrain = useMay("models:manage");
  const adding = useQuestion<AddSelection, never>();
  const labels = useQuestion<string, WordsChange>();
  const deletion = useQuestion<readonly string[], true>();
  const diagnosis = useQuestion<ReturnType<typeof filterInput>, true>();
  const refresh = (...invalidated: { pathKey: () => readonly unknown[] }[]) => {
    for (const each of invalidated) void queries.invalidateQueries({ queryKey: each.pathKey() });
  };

  const chosen = ({ rows, matching }: ActionTarget<ConversationSummary>) =>
    matching
      ? readAllMatching("conversation", async (page) => {
          const { conversations, pagination } = await client.conversations.list.query({
            ...filterInput(projectId, view, now),
            ...page,
          });
          return { rows: conversations, nextCursor: pagination.nextCursor };
        })
      : rows;

  const label: ListAction<ConversationSummary> = {
    id: "label",
    label: "Label…",
    key: "l",
    icon: <IconTag size={14} aria-hidden />,
    matching: true,
    run: async (target) => {
      const rows = await chosen(target);
      if (rows === null) return null;
      const change = await labels.ask(wordsOf(rows));
      if (change === null) return null;
      const done = await forEach(rows, ({ id }) =>
        client.conversations.changeLabels.mutate({ projectId, conversationId: id, ...change }),
      );
      refresh(trpc.conversations, trpc.costs);
      const changed = done.filter(({ added, removed }) => added.length + removed.length > 0);
      return {
        said:
          done.length === 1
            ? `Changed the labels of ${wordsOf(rows)}`
            : `Changed the labels of ${changed.length} of ${plural(rows.length, "conversation")}`,
        undo: async () => {
          await forEach(changed, ({ conversation, added, removed }) =>
            client.conversations.changeLabels.mutate({
              projectId,
              conversationId: conversation.id,
              add: removed,
              remove: added,
            }),
          );
          refresh(trpc.conversations, trpc.costs);
        },
      };
    },
  };
  const diagnose: ListAction<ConversationSummary> = {
    id: "diagnose",
    label: "Diagnose now",
    icon: <IconStethoscope size={14} aria-hidden />,
    matching: true,
    run: async ({ rows, matching }) => {
      const { projectId: _, ...filter } = filterInput(projectId, view, now);
      if (matching && (await diagnosis.ask({ projectId, ...filter })) === null) return null;
      const which = matching ? { filter } : { conversationIds: rows.map(({ id }) => id) };
      const { diagnosis: done } = await client.ruleRuns.createMany.mutate({ projectId, ...which });
      refresh(trpc.ruleRuns, trpc.backgroundJobs);
      const subject = matching ? plural(done.conversations, "conversation") : wordsOf(rows);
      return {
        said:
          done.queued === null ? (
            <>
              Diagnosing {subject} in the background. <Link href={`/p/${projectId}/jobs`}>View progress</Link>
            </>
          ) : (
            <>
              Queued {plural(done.queued, "Rule Run")} for {subject}.{" "}
              <Link href={`/p/${projectId}/rule-runs`}>View runs</Link>
            </>
          ),
      };
    },
  };
  const addToDatasets: ListAction<ConversationSummary> = {
    id: "datasets",
    label: "Add to Datasets…",
    key: "d",
    icon: <IconBooks size={14} aria-hidden />,
    run: async ({ rows }) => {
      if (rows.length > EXAMPLES_MAX)
        throw new Error(`At most ${EXAMPLES_MAX} conversations are added at once. Select fewer.`);
      return adding.ask({ conversationIds: rows.map(({ id }) => id) });
    },
  };
  const remove: ListAction<ConversationSummary> = {
    id: "delete",
    label: "Delete…",
    icon: <IconTrash size={14} aria-hidden />,
    danger: true,
    matching: true,
    run: async (target) => {
      const rows = await chosen(target);
      if (rows === null) return null;
      if ((await deletion.ask(rows.map(({ id }) => id))) === null) return null;
      const done = await forEach(rows, ({ id }) =>
        client.conversations.delete.mutate({ projectId, conversationId: id }),
      );
      refresh(trpc.conversations, trpc.findings, trpc.deletions);
      return {
        said: (
          <>
            Deleted {rows.length === done.length ? wordsOf(rows) : `${done.length} of ${wordsOf(rows)}`}.{" "}
            <Link href={`/p/${projectId}/data`}>View receipts</Link>
          </>
        ),
      };
    },
  };
  return {
    actions: [...(may ? [label, diagnose] : []), ...(mayTrain ? [addToDatasets] : []), ...(mayDelete ? [remove] : [])],
    dialogs: (
      <>
        <LabelDialog projectId={projectId} subject={labels.subject} onAnswer={labels.answer} />
        <DiagnoseDialog filter={diagnosis.subject} onAnswer={diagnosis.answer} />
        <AddToDatasets projectId={projectId} selection={adding.subject} onClose={() => adding.answer(null)} />
        <DeleteDialog projectId={projectId} ids={deletion.subject} onAnswer={deletion.answer} />
      </>
    ),
  };
}
