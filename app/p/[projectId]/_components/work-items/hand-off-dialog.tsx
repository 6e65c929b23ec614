"use client";
import { Button, Group, Modal, NativeSelect, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ActionDone } from "@/app/_components/data-table/types";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural, quoted } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { HAND_OFF_MANY_MAX, PREVIEW_MAX } from "@/server/services/diagnostics/work-items/schemas";
import { NoTracker } from "./no-tracker";
import { TicketPreviews } from "./ticket-previews";
import { TRACKER_WORDS } from "./tracker-words";
import { type HandOffSubject, useHandOff } from "./use-hand-off";
import { type TrackerConnection, useTrackers } from "./use-trackers";
import classes from "./work-items.module.css";

type Props = {
  projectId: string;
  /** What is handed off; without it the dialog is closed. */
  subject: HandOffSubject | null;
  onClose: () => void;
  onDone: (done: ActionDone) => void;
};

/** Hands Findings to an issue tracker, after showing the tickets as they would be sent. */
export function HandOffDialog({ subject, ...rest }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(subject);
  if (subject !== null && subject !== shown) setShown(subject);
  return (
    <Modal opened={subject !== null} onClose={rest.onClose} title={shown === null ? "" : titleOf(shown)} size="lg">
      {shown === null ? null : <Content {...rest} subject={shown} />}
    </Modal>
  );
}

function titleOf({ findings, replaces }: HandOffSubject) {
  if (replaces !== undefined) return `Replace ${replaces.key ?? "the ticket"}`;
  const [only] = findings;
  return findings.length === 1 && only ? (
    <>
      Hand off <InlineCode text={quoted(only.title)} />
    </>
  ) : (
    `Hand off ${plural(findings.length, "Finding")}`
  );
}

type ContentProps = Omit<Props, "subject"> & { subject: HandOffSubject };

function Content(props: ContentProps) {
  const { query, trackers, options } = useTrackers(props.projectId);
  const [chosen, setChosen] = useState(props.subject.replaces?.connectionId ?? null);
  const tracker = trackers.find(({ id }) => id === chosen) ?? trackers[0];
  if (tracker === undefined) {
    return (
      <Stack gap="md">
        <NoTracker projectId={props.projectId} query={query} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="md">
      <NativeSelect
        size="sm"
        label="Tracker"
        data={options}
        value={tracker.id}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <Fields key={tracker.id} {...props} tracker={tracker} />
    </Stack>
  );
}

type FieldsProps = ContentProps & { tracker: TrackerConnection };

function Fields({ projectId, subject, tracker, onClose, onDone }: FieldsProps) {
  const trpc = useTRPC();
  const { findings, replaces } = subject;
  const sent = findings.slice(0, HAND_OFF_MANY_MAX);
  const preview = useQuery(
    trpc.workItems.preview.queryOptions(
      {
        projectId,
        provider: tracker.kind,
        connectionId: tracker.id,
        findingIds: sent.slice(0, PREVIEW_MAX).map(({ id }) => id),
      },
      { staleTime: 0, gcTime: 0 },
    ),
  );
  const [typed, setTyped] = useState(replaces?.connectionId === tracker.id ? replaces.destination : null);
  const destination = typed ?? preview.data?.destination ?? "";
  const isDefault = preview.data?.destination != null && destination === preview.data.destination;
  const { send, error, isPending } = useHandOff(projectId, onDone);
  const words = TRACKER_WORDS[tracker.kind];
  const atField = fieldProblem(error, "/destination");
  const isReady = preview.data !== undefined && destination.trim() !== "";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) send({ ...subject, findings: sent }, tracker, destination.trim());
      }}
    >
      <Stack gap="md">
        {atField === null && error ? <Refused error={error} /> : null}
        {findings.length > sent.length ? (
          <Text size="sm">
            {HAND_OFF_MANY_MAX} at a time: the first {HAND_OFF_MANY_MAX} of {plural(findings.length, "Finding")} are
            handed off.
          </Text>
        ) : null}
        <TextInput
          label={words.destination}
          placeholder={preview.isPending ? undefined : words.example}
          description={isDefault ? "Defaults to the connection’s." : undefined}
          required
          maxLength={200}
          value={destination}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={atField}
        />
        {preview.error ? (
          <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
        ) : preview.isPending ? (
          <Skeleton height={180} role="status" aria-label="Preparing the tickets" />
        ) : (
          <section aria-label="Preview">
            <h3 className={classes.title}>
              {sent.length === 1
                ? "The ticket"
                : sent.length > PREVIEW_MAX
                  ? `The first ${PREVIEW_MAX} tickets`
                  : "The tickets"}
            </h3>
            <TicketPreviews tickets={preview.data.tickets} replaces={replaces !== undefined} />
            <p className={classes.quiet}>
              {sent.length > PREVIEW_MAX ? `And ${sent.length - PREVIEW_MAX} more. ` : ""}
              {preview.data.labels.length > 0 ? `Labels: ${preview.data.labels.join(", ")}. ` : ""}
              Personal data and secrets are masked before anything is sent.
              {replaces === undefined ? "" : " The old ticket stays as it is in its tracker."}
            </p>
          </section>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={!isReady}>
            {replaces
              ? "Replace ticket"
              : sent.length === 1
                ? "Create ticket"
                : `Create ${plural(sent.length, "ticket")}`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
