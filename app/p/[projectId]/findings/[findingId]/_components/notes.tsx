"use client";
import { Button, Group, Textarea } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { actorWords } from "../../../_components/access/actor-words";
import { useMay } from "../../../_components/access/membership";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import classes from "./finding-page.module.css";
import { ShowEarlier } from "./show-earlier";
import { tellProblem } from "./use-review";

type Note = RouterOutputs["findingNotes"]["list"]["notes"][number];

const PAGE = 20;
const LENGTH_MAX = 5000;

/** What people wrote about a Finding. */
export function Notes({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const may = useMay("diagnostics:write");
  const { add, edit, remove } = useNoteChanges();
  const list = useInfiniteQuery(
    trpc.findingNotes.list.infiniteQueryOptions({ projectId, findingId, limit: PAGE }, nextPage),
  );
  const [editing, setEditing] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<Note | null>(null);
  const notes = list.data?.pages.flatMap((page) => page.notes) ?? [];
  const of = (note: Note) => ({ projectId, findingId: note.findingId, noteId: note.id });
  if (list.error && notes.length === 0) {
    return <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />;
  }
  if (!may && notes.length === 0) return null;
  return (
    <section>
      <h2 className={classes.heading}>Notes</h2>
      {may ? (
        <NoteForm
          label="Note"
          action="Add note"
          running={add.isPending}
          onSave={(text, saved) => add.mutate({ projectId, findingId, text }, { onSuccess: saved })}
        />
      ) : null}
      {notes.map((note) => (
        <div key={note.id} className={classes.note}>
          {editing === note.id ? (
            <NoteForm
              label="Edit the note"
              action="Save"
              text={note.text}
              running={edit.isPending}
              onCancel={() => setEditing(null)}
              onSave={(text) => edit.mutate({ ...of(note), text }, { onSuccess: () => setEditing(null) })}
            />
          ) : (
            <>
              <p className={classes.noteText}>{note.text}</p>
              <div className={classes.noteFoot}>
                <span>
                  {actorWords(note.author)}, <Ago at={note.createdAt} />
                  {note.editedAt === null ? "" : ", edited"}
                </span>
                {note.own && may ? (
                  <Group gap={0} ml="auto" wrap="nowrap">
                    <Button variant="subtle" size="compact-xs" onClick={() => setEditing(note.id)}>
                      Edit
                    </Button>
                    <Button variant="subtle" size="compact-xs" onClick={() => setDeleting(note)}>
                      Delete
                    </Button>
                  </Group>
                ) : null}
              </div>
            </>
          )}
        </div>
      ))}
      <ShowEarlier list={list}>Show older notes</ShowEarlier>
      <ConfirmDialog
        subject={deleting}
        onClose={() => setDeleting(null)}
        title={() => "Delete the note?"}
        says={({ text }) => <span className={classes.noteQuote}>{text}</span>}
        action="Delete note"
        keep="Keep it"
        running={remove}
        onConfirm={(note) => remove.mutate(of(note), { onSuccess: () => setDeleting(null) })}
      />
    </section>
  );
}

function useNoteChanges() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
    return queries.invalidateQueries({ queryKey: trpc.findingNotes.pathKey() });
  };
  const add = useMutation(trpc.findingNotes.add.mutationOptions({ onSettled, onError: tellProblem }));
  const edit = useMutation(trpc.findingNotes.update.mutationOptions({ onSettled, onError: tellProblem }));
  const remove = useMutation(trpc.findingNotes.delete.mutationOptions({ onSettled }));
  return { add, edit, remove };
}

type FormProps = {
  label: string;
  action: string;
  /** The current text. */
  text?: string;
  running: boolean;
  onCancel?: () => void;
  onSave: (text: string, saved: () => void) => void;
};

function NoteForm({ label, action, text: before = "", running, onCancel, onSave }: FormProps) {
  const [text, setText] = useState(before);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) onSave(text, () => setText(""));
      }}
    >
      <Textarea
        aria-label={label}
        placeholder="What you found out"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={LENGTH_MAX}
        value={text}
        data-autofocus={onCancel ? true : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onCancel?.()}
      />
      <Group justify="end" gap={6} mt={6}>
        {onCancel ? (
          <Button size="xs" variant="subtle" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
        <Button
          type="submit"
          size="xs"
          variant="default"
          loading={running}
          disabled={text.trim() === "" || text.trim() === before}
        >
          {action}
        </Button>
      </Group>
    </form>
  );
}
