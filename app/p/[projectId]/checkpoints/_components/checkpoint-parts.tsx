import { Anchor, DataList, Group, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { z } from "zod";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { JsonView } from "@/app/_components/values/json-view";
import { capitalized, formatBytes, formatCount, plural } from "@/app/_lib/format";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import { LookDot } from "../../_components/serving/status";
import { PARITY } from "../../_components/serving/words";
import { formatMetric } from "../../_components/training/charts/metric-words";
import { CheckpointMarks } from "../../_components/training/checkpoint-marks";
import { checkpointFileHref, checkpointHref, jobHref } from "../../_components/training/hrefs";
import { isUsable } from "../../_components/training/is-usable";
import { KINDS } from "./columns";

/** What a checkpoint is, and where it comes from. */
export const CheckpointFacts = ({ projectId, checkpoint }: { projectId: string; checkpoint: Checkpoint }) => (
  <DataList size="sm" gap={6} labelWidth={130}>
    <Fact label="State">
      <CheckpointMarks checkpoint={checkpoint} />
    </Fact>
    <Fact label="Run">
      <Link href={jobHref(projectId, checkpoint.jobId)} dir="auto">
        {checkpoint.jobName}
      </Link>
    </Fact>
    <Fact label="Base model" mono>
      {checkpoint.baseModel.id}
    </Fact>
    <Fact label="Revision" mono>
      {checkpoint.baseModel.revision ?? "—"}
    </Fact>
    {checkpoint.parentCheckpointId === null ? null : (
      <Fact label="Continues">
        <Link href={checkpointHref(projectId, checkpoint.parentCheckpointId)}>Another checkpoint</Link>
      </Fact>
    )}
    <Fact label="Kind">{KINDS[checkpoint.kind]}</Fact>
    {checkpoint.epoch === null ? null : <Fact label="Epoch">{checkpoint.epoch.toFixed(2)}</Fact>}
    {Object.entries(checkpoint.metrics).map(([name, value]) => (
      <Fact key={name} label={capitalized(name.replaceAll("_", " "))}>
        {formatMetric(value)}
      </Fact>
    ))}
    <Fact label="Formats">
      {checkpoint.parity === null ? "Not compared yet" : <LookDot look={PARITY[checkpoint.parity.verdict]} />}
    </Fact>
    <Fact label="Can be resumed">{checkpoint.resumable && isUsable(checkpoint) ? "Yes" : "No"}</Fact>
    <Fact label="Attempt">{formatCount(checkpoint.attempt)}</Fact>
    <Fact label="Saved">
      <ExactTime at={checkpoint.createdAt} />
    </Fact>
    {checkpoint.taintedAt === null ? null : (
      <Fact label="Data deleted">
        <ExactTime at={checkpoint.taintedAt} />
      </Fact>
    )}
    <Fact label="Content" mono>
      {checkpoint.contentSha256}
    </Fact>
    <Fact label="ID">
      <IdText id={checkpoint.id} />
    </Fact>
  </DataList>
);

/** A checkpoint's files; those that are stored can be downloaded. */
export function CheckpointFiles({ projectId, checkpoint }: { projectId: string; checkpoint: Checkpoint }) {
  const { id, files, bytes, state } = checkpoint;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {plural(files.length, "file")}, {formatBytes(bytes)}
      </Text>
      <Stack gap={4} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
        {files.map(({ path, size, sha256 }) => (
          <Group key={path} component="li" justify="space-between" wrap="nowrap" gap="xs">
            {state === "stored" ? (
              <Anchor
                href={checkpointFileHref(projectId, id, path)}
                size="sm"
                className="mono clip"
                title={`SHA-256 ${sha256}`}
                download
              >
                {path}
              </Anchor>
            ) : (
              <span className="mono clip">{path}</span>
            )}
            <Text size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
              {formatBytes(size)}
            </Text>
          </Group>
        ))}
      </Stack>
    </div>
  );
}

const servedWith = z.looseObject({
  architecture: z.string().nullable(),
  dtype: z.string(),
  max_context: z.number(),
  stop: z.array(z.string()),
  servable_by: z.array(z.string()),
});

/** How to serve a checkpoint, as determined when it generated its first answer. */
export function CheckpointProfile({ checkpoint: { inferenceProfile } }: { checkpoint: Checkpoint }) {
  if (inferenceProfile === null) {
    return (
      <Text size="sm" c="dimmed">
        Unknown: it has not generated an answer yet.
      </Text>
    );
  }
  // Other releases of the trainer may tell less.
  const { data: profile } = servedWith.safeParse(inferenceProfile);
  return (
    <Stack gap="md">
      {profile ? (
        <DataList size="sm" gap={6} labelWidth={130}>
          <Fact label="Served by">{profile.servable_by.join(", ") || "—"}</Fact>
          <Fact label="Architecture" mono>
            {profile.architecture ?? "—"}
          </Fact>
          <Fact label="Weights" mono>
            {profile.dtype}
          </Fact>
          <Fact label="Context">{plural(profile.max_context, "token")}</Fact>
          <Fact label="Stops at" mono>
            {profile.stop.join(" ") || "—"}
          </Fact>
        </DataList>
      ) : null}
      <details>
        <summary>Inference profile, with the chat template</summary>
        <JsonView value={inferenceProfile} label="inference profile" />
      </details>
    </Stack>
  );
}
