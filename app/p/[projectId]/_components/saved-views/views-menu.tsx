"use client";
import { Button, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBookmark, IconCheck, IconChevronDown } from "@tabler/icons-react";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { useKeys } from "@/app/_lib/use-keys";
import type { SavedView, SavedViewList } from "@/server/services/saved-views/schemas";
import { useMay } from "../access/membership";
import { DeleteView } from "./delete-view";
import { useSavedViews } from "./use-saved-views";
import { ViewDialog } from "./view-dialog";
import { currentForm, queryOf, stateOf, type ViewParsers } from "./view-query";
import classes from "./views-menu.module.css";

type Props = { projectId: string; list: SavedViewList; parsers: ViewParsers };
type Asking = "save" | "rename" | "delete" | null;

/** The saved views of the page's list; `v` opens them. The first one that matches the URL is the one shown. */
export function ViewsMenu({ projectId, list, parsers }: Props) {
  const [state, setState] = useQueryStates(parsers, { history: "push" });
  const { views, create, update, remove } = useSavedViews(projectId, list);
  const { offer } = useUndo();
  const mayShare = useMay("diagnostics:write");
  const [opened, setOpened] = useState(false);
  const [asking, setAsking] = useState<Asking>(null);
  const [openedId, setOpenedId] = useState<string | null>(null);
  useKeys({ v: () => setOpened(true) });

  const all = views.data?.savedViews ?? [];
  const query = queryOf(parsers, state);
  const matching = all.filter((view) => currentForm(parsers, view.query) === query);
  const shown = matching.find(({ id }) => id === openedId) ?? matching[0];
  const left = shown ? undefined : all.find(({ id }) => id === openedId);
  const mayChange = (view: SavedView) => !view.shared || mayShare;
  const say = (message: string) => notifications.show({ message });

  const open = (view: SavedView) => {
    setOpenedId(view.id);
    void setState({ ...stateOf(parsers, view.query), peek: null });
  };
  const close = () => {
    setAsking(null);
    for (const each of [create, update, remove]) each.reset();
  };
  const done = (message: string) => () => {
    close();
    say(message);
  };
  const save = (values: { name: string; shared: boolean }) =>
    create.mutate(
      { projectId, list, query, ...values },
      {
        onSuccess: ({ savedView }) => {
          setOpenedId(savedView.id);
          done(`Saved “${savedView.name}”`)();
        },
      },
    );
  const rename = (view: SavedView, values: { name: string; shared: boolean }) =>
    update.mutate({ projectId, savedViewId: view.id, ...values }, { onSuccess: done(`Saved “${values.name}”`) });
  const replace = (view: SavedView) =>
    update.mutate(
      { projectId, savedViewId: view.id, query },
      {
        onSuccess: () =>
          offer(`Updated “${view.name}”`, () =>
            update.mutate({ projectId, savedViewId: view.id, query: view.query }, { onSuccess: () => open(view) }),
          ),
        onError: () => say(`“${view.name}” could not be updated. Try again.`),
      },
    );
  const discard = ({ id, name, query: saved, shared }: SavedView) =>
    remove.mutate(
      { projectId, savedViewId: id },
      {
        onSuccess: () => {
          close();
          offer(`Deleted “${name}”`, () => create.mutate({ projectId, list, name, query: saved, shared }));
        },
      },
    );

  return (
    <>
      <Menu
        opened={opened}
        onChange={setOpened}
        position="bottom-end"
        width={260}
        classNames={{ itemLabel: classes.label }}
      >
        <Menu.Target>
          <Button
            variant="default"
            className={classes.target}
            leftSection={<IconBookmark size={14} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
            title="Saved views (v)"
            aria-label={shown ? `Saved views: ${shown.name}` : "Saved views"}
          >
            <span className="clip">{shown?.name ?? "Views"}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown className={classes.dropdown} aria-label="Saved views">
          <Section title="Mine" views={all.filter(({ shared }) => !shared)} shown={shown} onOpen={open} />
          <Section title="Shared" views={all.filter(({ shared }) => shared)} shown={shown} onOpen={open} />
          {all.length === 0 ? (
            <Menu.Label className={classes.none}>
              {views.error ? "The views could not be loaded." : "Save this list’s filters to come back to them."}
            </Menu.Label>
          ) : (
            <Menu.Divider />
          )}
          {left && mayChange(left) ? <Menu.Item onClick={() => replace(left)}>Update “{left.name}”</Menu.Item> : null}
          <Menu.Item onClick={() => setAsking("save")}>Save view…</Menu.Item>
          {shown && mayChange(shown) ? (
            <>
              <Menu.Item onClick={() => setAsking("rename")}>{mayShare ? "Rename or share…" : "Rename…"}</Menu.Item>
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setAsking("delete")}>
                Delete…
              </Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <ViewDialog
        opened={asking === "save"}
        title="Save view"
        action="Save view"
        values={{ name: "", shared: false }}
        query={query}
        mayShare={mayShare}
        saving={create.isPending}
        error={create.error}
        onSave={save}
        onClose={close}
      />
      <ViewDialog
        opened={asking === "rename" && shown !== undefined}
        title={`Change “${shown?.name ?? ""}”`}
        action="Save"
        values={{ name: shown?.name ?? "", shared: shown?.shared ?? false }}
        query={undefined}
        mayShare={mayShare}
        saving={update.isPending}
        error={update.error}
        onSave={(values) => shown && rename(shown, values)}
        onClose={close}
      />
      <DeleteView
        view={shown}
        opened={asking === "delete" && shown !== undefined}
        deleting={remove.isPending}
        error={remove.error}
        onDelete={() => shown && discard(shown)}
        onClose={close}
      />
    </>
  );
}

type SectionProps = {
  title: string;
  views: readonly SavedView[];
  shown: SavedView | undefined;
  onOpen: (view: SavedView) => void;
};

const Section = ({ title, views, shown, onOpen }: SectionProps) =>
  views.length === 0 ? null : (
    <>
      <Menu.Label>{title}</Menu.Label>
      {views.map((view) => (
        <Menu.Item
          key={view.id}
          aria-current={view.id === shown?.id || undefined}
          onClick={() => onOpen(view)}
          rightSection={view.id === shown?.id ? <IconCheck size={14} aria-label="shown" /> : undefined}
        >
          <Text size="sm" truncate>
            {view.name}
          </Text>
        </Menu.Item>
      ))}
    </>
  );
