"use client";
import { Button, Group, SegmentedControl, Text, Textarea } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useRouter } from "next/navigation";
import { useCallback, useRef, useState } from "react";
import { ModShortcut } from "@/app/_components/controls/mod-shortcut";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { leavePage } from "@/app/_lib/leave-guard";
import { useListHref } from "@/app/_lib/remember-list";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { Example } from "@/server/services/datasets/examples/schemas";
import type { NamedActor } from "@/server/services/members/schemas";
import { useMay } from "../../../../../_components/access/membership";
import type { ErrorsAt } from "../../../../_components/payload/errors-at";
import payload from "../../../../_components/payload/payload.module.css";
import { PayloadEditor } from "../../../../_components/payload/payload-editor";
import type { PayloadForm } from "../../../../_components/payload/payload-form";
import { datasetHref } from "../../../../_components/view";
import { asForm, asText, differingParts, draftOf, faultsOf, isChanged } from "./draft";
import classes from "./example-editor.module.css";
import { ExampleMenu } from "./example-menu";
import { ExampleRail } from "./example-rail";
import { Problems } from "./problems";
import { useSaveExample } from "./use-save-example";
import { useUnsaved } from "./use-unsaved";

type Props = { projectId: string; datasetId: string; example: Example | null; reviewer?: NamedActor | null };

/** Edits an Example, as a form or as JSON; without an Example, creates a new one. */
export function ExampleEditor({ projectId, datasetId, example, reviewer = null }: Props) {
  const may = useMay("models:manage");
  const router = useRouter();
  const back = useListHref(datasetHref(projectId, datasetId));
  const [before, setBefore] = useState(() => draftOf(example));
  const [draft, setDraft] = useState(before);
  const [errors, setErrors] = useState<ErrorsAt>({});
  const dirty = isChanged(draft, before);
  const { save, saving, error, saved, ...newer } = useSaveExample({
    projectId,
    datasetId,
    example,
    onErrors: setErrors,
    onSaved: () => {
      setBefore(draft);
      setErrors({});
    },
  });
  const unsaved = useUnsaved(dirty && !saved);
  const setForm = useCallback(
    (update: (form: PayloadForm) => PayloadForm) => setDraft((last) => ({ ...last, form: update(last.form) })),
    [],
  );
  const submit = () => {
    const faults = faultsOf(draft);
    setErrors(faults);
    if (may && dirty && !saving && Object.keys(faults).length === 0) save(draft);
  };
  useHotkeys([["mod+S", submit]], []);
  useKeys({ [ESC]: () => leavePage(() => router.push(back)) });
  const { offer } = useUndo();
  const body = useRef<HTMLElement>(null);
  const loadNewer = () =>
    newer.catchUp((newest) => {
      const theirs = draftOf(newest);
      setBefore(theirs);
      setDraft(draft.text === null ? theirs : asText(theirs));
      setErrors({});
      body.current?.focus();
      offer("Loaded the newer version, and discarded your changes", () => setDraft(draft));
    });
  const overwrite = () => {
    const faults = faultsOf(draft);
    setErrors(faults);
    if (Object.keys(faults).length > 0) return;
    newer.catchUp((newest) => {
      setBefore(draftOf(newest));
      body.current?.focus();
      save(draft, newest.updatedAt);
    });
  };
  const show = (mode: string) => {
    if (mode === "json") return setDraft(asText(draft));
    const read = asForm(draft);
    if ("fault" in read) return setErrors({ "": read.fault });
    setErrors({});
    setDraft(read.draft);
  };
  return (
    <form
      noValidate
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <PageHeader
        title={
          <Group component="span" gap="xs" wrap="nowrap">
            <BackLink href={back} label="All Examples" />
            {example === null ? "New Example" : may ? "Edit Example" : "Example"}
          </Group>
        }
        aside={
          <>
            {dirty ? (
              <Text size="xs" c="dimmed" role="status">
                Unsaved changes
              </Text>
            ) : null}
            {may ? (
              <Button
                type="submit"
                loading={saving}
                disabled={!dirty}
                rightSection={<ModShortcut of="S" />}
                title="Ctrl+S, or ⌘S on a Mac"
              >
                {example === null ? "Create Example" : "Save"}
              </Button>
            ) : null}
            {may && example !== null ? (
              <ExampleMenu projectId={projectId} datasetId={datasetId} exampleId={example.id} back={back} />
            ) : null}
          </>
        }
      >
        <SegmentedControl
          aria-label="Show the payload as"
          value={draft.text === null ? "form" : "json"}
          onChange={show}
          data={[
            { value: "form", label: "Chat" },
            { value: "json", label: "JSON" },
          ]}
        />
      </PageHeader>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section ref={body} className={classes.body} tabIndex={0} aria-label="The Example, scrollable">
        <div className={classes.main}>
          <Problems
            error={error}
            errors={errors}
            outdated={
              newer.isOutdated
                ? {
                    changed: differingParts(draftOf(example), before),
                    reading: newer.catchingUp,
                    failure: newer.catchUpError,
                    onLoad: loadNewer,
                    onOverwrite: overwrite,
                  }
                : null
            }
          />
          {draft.text === null ? (
            <PayloadEditor form={draft.form} onChange={setForm} errors={errors} disabled={!may} />
          ) : (
            <Textarea
              label="Payload as JSON"
              description="In the chat/v1 schema: input, expectedOutput and, if there is one, rejectedOutput."
              autosize
              minRows={16}
              spellCheck={false}
              readOnly={!may}
              classNames={{ input: payload.code }}
              value={draft.text}
              onChange={({ currentTarget: { value } }) => setDraft((last) => ({ ...last, text: value }))}
            />
          )}
        </div>
        <ExampleRail
          projectId={projectId}
          example={example}
          reviewer={reviewer}
          draft={draft}
          errors={errors}
          disabled={!may}
          onChange={(patch) => setDraft((last) => ({ ...last, ...patch }))}
        />
      </section>
      {unsaved}
    </form>
  );
}
