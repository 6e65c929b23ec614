"use client";
import { Alert, Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { BuiltForm } from "../backends";
import { subjectReason } from "../subject-words";
import { comparisonOf } from "./parity";

type Props = {
  projectId: string;
  checkpointId: string;
  /** What is built; `null` if the checkpoint is used as it is. */
  built: BuiltForm | null;
  /** What is done with it: "Deploy", "Publish". */
  verb: "Deploy" | "Publish";
  /** What the reader must type to do it although the answers differ. */
  phrase: string;
  force: boolean;
  typed: string;
  set: (change: { force?: boolean; typed?: string }) => void;
};

/** The result of a form's last comparison; if the answers differ, typing `phrase` overrides it. */
export function ParityOverride({ projectId, checkpointId, built, verb, phrase, force, typed, set }: Props) {
  const trpc = useTRPC();
  const hasAsked = checkpointId !== "" && built !== null;
  const query = useQuery(
    trpc.certificates.list.queryOptions({ projectId, checkpointId, limit: 20 }, { enabled: hasAsked }),
  );
  if (!hasAsked) return null;
  const found = comparisonOf(query.data?.certificates ?? [], built);
  const differs = found?.subject.verdict === "different" || found?.subject.error != null;
  if (!differs && !force) {
    return (
      <Text size="sm" c="dimmed">
        {found === undefined
          ? `Its answers are compared with the checkpoint’s first. If they differ, nothing is ${verb === "Deploy" ? "deployed" : "published"}.`
          : `Its answers match the checkpoint’s: ${subjectReason(found.subject)}`}
      </Text>
    );
  }
  return (
    <Alert
      color="red"
      p="sm"
      title="Its answers differ from the checkpoint’s"
      styles={{ title: { color: "var(--mantine-color-error)" } }}
    >
      <Stack gap="sm">
        {found === undefined ? null : <Text size="sm">{subjectReason(found.subject)}</Text>}
        <Checkbox
          label={`${verb} it anyway`}
          checked={force}
          onChange={(event) => set({ force: event.currentTarget.checked, typed: "" })}
        />
        {force ? (
          <TextInput
            label={
              <>
                Type{" "}
                <bdi className="mono" style={{ fontWeight: 400, overflowWrap: "anywhere" }}>
                  {phrase}
                </bdi>{" "}
                to confirm
              </>
            }
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => set({ typed: event.currentTarget.value })}
          />
        ) : null}
      </Stack>
    </Alert>
  );
}
