"use client";
import { notifications } from "@mantine/notifications";
import { IconTag, IconTrash } from "@tabler/icons-react";
import { readAllMatching } from "@/app/_components/data-table/read-all-matching";
import type { ActionTarget, ListAction } from "@/app/_components/data-table/types";
import type { WordsChange } from "@/app/_components/words/change-words";
import { plural } from "@/app/_lib/format";
import { useTRPCClient } from "@/app/_lib/trpc/client";
import type { Example } from "@/server/services/datasets/examples/schemas";
import { useMay } from "../../../../_components/access/membership";
import { useQuestion } from "../../../../conversations/_components/bulk/use-question";
import { useRefresh } from "../../../_components/use-refresh";
import { SPLIT_VALUES, SPLITS, type Split } from "../../../_components/words";
import type { examplesInput } from "../view";
import { DeleteExamples } from "./delete-examples";
import { TagDialog } from "./tag-dialog";

/** The server's maximum batch size. */
const BATCH = 1000;

type Change =
  | { exampleId: string; action: "delete" }
  | { exampleId: string; action: "update"; split?: Split; tags?: string[] };

const tagged = ({ tags }: Example, { add, remove }: WordsChange) => [
  ...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add]),
];

/** Returns the actions on chosen Examples of a list with these filters, and the dialogs that ask for their details. */
export function useExampleActions(filter: ReturnType<typeof examplesInput>, knownTags: readonly string[]) {
  const { projectId, datasetId } = filter;
  const client = useTRPCClient();
  const refresh = useRefresh();
  const may = useMay("models:manage");
  const deletion = useQuestion<number, true>();
  const tagging = useQuestion<number, WordsChange>();

  const chosen = ({ rows, matching }: ActionTarget<Example>) =>
    matching
      ? readAllMatching("Example", async (page) => {
          const { examples, nextCursor } = await client.examples.list.query({ ...filter, ...page });
          return { rows: examples, nextCursor };
        })
      : rows;

  const send = async (changes: readonly Change[]) => {
    let failed = 0;
    try {
      for (let from = 0; from < changes.length; from += BATCH) {
        const items = changes.slice(from, from + BATCH);
        const { results } = await client.examples.batch.mutate({ projectId, datasetId, items });
        failed += results.filter(({ status }) => status >= 400).length;
      }
    } finally {
      void refresh();
    }
    if (failed === 0) return;
    notifications.show({
      color: "red",
      title: `${plural(failed, "Example")} could not be changed`,
      message: "Someone else may have deleted or changed them. Check the list and try again.",
    });
  };

  const splits = SPLIT_VALUES.map(
    (split): ListAction<Example> => ({
      id: `split-${split}`,
      label: `To ${SPLITS[split].toLowerCase()}`,
      group: "Split",
      matching: true,
      applies: (example) => example.split !== split,
      run: async (target) => {
        const rows = (await chosen(target))?.filter((example) => example.split !== split) ?? null;
        if (rows === null) return null;
        await send(rows.map(({ id }) => ({ action: "update", exampleId: id, split })));
        return {
          said: `Moved ${plural(rows.length, "Example")} to ${SPLITS[split].toLowerCase()}`,
          undo: () => send(rows.map((row) => ({ action: "update", exampleId: row.id, split: row.split }))),
        };
      },
    }),
  );
  const tag: ListAction<Example> = {
    id: "tag",
    label: "Tag…",
    key: "l",
    icon: <IconTag size={14} aria-hidden />,
    matching: true,
    run: async (target) => {
      const rows = await chosen(target);
      if (rows === null) return null;
      const change = await tagging.ask(rows.length);
      if (change === null) return null;
      await send(rows.map((row) => ({ action: "update", exampleId: row.id, tags: tagged(row, change) })));
      return {
        said: `Changed the tags of ${plural(rows.length, "Example")}`,
        undo: () => send(rows.map(({ id, tags }) => ({ action: "update", exampleId: id, tags }))),
      };
    },
  };
  const remove: ListAction<Example> = {
    id: "delete",
    label: "Delete…",
    key: "#",
    icon: <IconTrash size={14} aria-hidden />,
    danger: true,
    matching: true,
    run: async (target) => {
      const rows = await chosen(target);
      if (rows === null) return null;
      if ((await deletion.ask(rows.length)) === null) return null;
      await send(rows.map(({ id }) => ({ action: "delete", exampleId: id })));
      return { said: `Deleted ${plural(rows.length, "Example")}` };
    },
  };
  return {
    actions: may ? [...splits, tag, remove] : [],
    dialogs: (
      <>
        <DeleteExamples count={deletion.subject} onAnswer={deletion.answer} />
        <TagDialog count={tagging.subject} known={knownTags} onAnswer={tagging.answer} />
      </>
    ),
  };
}
