"use client";
import { Autocomplete, NativeSelect, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { MarkDimension } from "@/server/services/diagnostics/fixes/schemas";
import { ConfirmDialog } from "../confirm/confirm-dialog";

const RELEASES = [
  { value: "next", label: "In the next version of the application" },
  { value: "version", label: "In a version of the application" },
  { value: "prompt", label: "In a version of a prompt" },
  { value: "model", label: "With another model or deployment" },
  { value: "label", label: "In conversations with a label" },
] as const satisfies readonly { value: MarkDimension | "next"; label: string }[];
type Release = (typeof RELEASES)[number]["value"];

const VALUES: Record<MarkDimension, { label: string; placeholder: string }> = {
  version: { label: "Version", placeholder: "shop 2.5.0" },
  prompt: { label: "Prompt and version", placeholder: "refund 3" },
  model: { label: "Model", placeholder: "gpt-5-mini" },
  label: { label: "Label", placeholder: "new-prompt" },
};
const SUGGESTED = 20;

type Props = { projectId: string; subject: { findingId: string } | null; onClose: () => void };

/** Asks how a fix went out, and watches it. */
export function WatchFix({ projectId, subject, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [release, setRelease] = useState<Release>("next");
  const [value, setValue] = useState("");
  const [note, setNote] = useState("");
  const by = release === "next" ? "version" : release;
  const known = useQuery(
    trpc.versions.list.queryOptions({ projectId, by }, { enabled: subject !== null && release !== "next" }),
  );
  const watch = useMutation(
    trpc.fixes.create.mutationOptions({
      onSuccess: ({ fix }) => {
        notifications.show({
          message: fix.startedAt === null ? "Waiting for the first conversation with the fix" : "Watching the fix",
        });
        setNote("");
        setValue("");
        onClose();
      },
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: trpc.fixes.pathKey() }),
          queries.invalidateQueries({ queryKey: trpc.findings.pathKey() }),
        ]),
    }),
  );
  return (
    <ConfirmDialog
      subject={subject}
      onClose={onClose}
      title={() => "Watch a fix"}
      says={() =>
        "The Finding’s rate in conversations with the fix is compared with its rate in those before, for 56 days. You are told here, on Home and in the ticket once it is proven."
      }
      action="Watch"
      danger={false}
      ready={release === "next" || value.trim() !== ""}
      running={watch}
      onConfirm={({ findingId }) =>
        watch.mutate({ projectId, findingId, by, value: release === "next" ? null : value, note })
      }
    >
      <NativeSelect
        size="sm"
        label="How it went out"
        value={release}
        onChange={(event) => {
          setRelease(event.currentTarget.value as Release);
          setValue("");
        }}
        data={[...RELEASES]}
      />
      {release === "next" ? null : (
        <Autocomplete
          size="sm"
          label={VALUES[release].label}
          description="One that conversations have had for up to 56 days, or that is still to come."
          placeholder={VALUES[release].placeholder}
          value={value}
          onChange={setValue}
          data={(known.data?.versions ?? []).slice(0, SUGGESTED).map((one) => one.value)}
        />
      )}
      <Textarea
        size="sm"
        label="What it changed"
        description="Optional"
        autosize
        minRows={2}
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}
