import { DataList, Table, Text } from "@mantine/core";
import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { JsonView } from "@/app/_components/values/json-view";
import { Unknown } from "@/app/_components/values/unknown";
import { formatCount, plural } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { pageHref } from "../../../_components/shell/pages";
import { checkpointHref, jobHref } from "../../../_components/training/hrefs";
import { settingsOf } from "../../../_components/training/settings-of";
import { datasetHref } from "../../../datasets/_components/view";

/** A run's effective settings, what it was trained on, and where it came from. */
export const SettingsTab = ({ projectId, job }: { projectId: string; job: TrainingJob }) => (
  <>
    <PageSection title="Settings">
      {job.resolvedSpec === null ? (
        <Text size="sm" c="dimmed" mb="xs">
          As requested. The trainer resolves every “auto” before it starts.
        </Text>
      ) : null}
      <Table aria-label="Settings" verticalSpacing={4} layout="fixed">
        <Table.Tbody>
          {settingsOf(job.resolvedSpec ?? job.spec).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} c="dimmed" className="mono" style={{ overflowWrap: "anywhere" }}>
                {name}
              </Table.Th>
              <Table.Td className="mono" style={{ overflowWrap: "anywhere" }}>
                {value}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <details style={{ marginBlockStart: 12 }}>
        <summary style={{ cursor: "pointer", fontSize: "var(--mantine-font-size-xs)" }}>As requested</summary>
        <JsonView value={job.spec} label="settings" />
      </details>
    </PageSection>
    <PageSection title="Examples">
      <DataList size="sm" gap={6} labelWidth={150}>
        <Fact label="Dataset">
          <Link href={datasetHref(projectId, job.datasetId)}>Version {formatCount(job.datasetVersion)}</Link>
        </Fact>
        <Manifest label="Training" manifest={job.manifest} />
        {job.validationManifest === null ? (
          <Fact label="Validation">None: the run is not evaluated</Fact>
        ) : (
          <Manifest label="Validation" manifest={job.validationManifest} />
        )}
      </DataList>
    </PageSection>
    <PageSection title="Run">
      <DataList size="sm" gap={6} labelWidth={150}>
        <Fact label="Base model" mono>
          {job.baseModel.id}
        </Fact>
        <Fact label="Revision" mono>
          {job.baseModel.revision ?? "—"}
        </Fact>
        {job.baseModel.checkpointId === null ? null : (
          <Fact label="Continued from">
            <Link href={checkpointHref(projectId, job.baseModel.checkpointId)}>A checkpoint</Link>
          </Fact>
        )}
        {job.clonedFromId === null ? null : (
          <Fact label="Cloned from">
            <Link href={jobHref(projectId, job.clonedFromId)}>Another run</Link>
          </Fact>
        )}
        {job.tuningConfigId === null ? null : (
          <Fact label="Configuration">
            <Link href={`${pageHref(projectId, "tuning-configs")}?peek=${encodeURIComponent(job.tuningConfigId)}`}>
              Tuning configuration
            </Link>
          </Fact>
        )}
        <Fact label="Trainer">{job.trainerId === null ? <Unknown /> : <IdText id={job.trainerId} />}</Fact>
        <Fact label="Attempts">{formatCount(job.attempt)}</Fact>
        <Fact label="Requested">
          <ExactTime at={job.createdAt} />
        </Fact>
        <Fact label="Started">
          <ExactTime at={job.startedAt} />
        </Fact>
        <Fact label="Finished">
          <ExactTime at={job.finishedAt} />
        </Fact>
        <Fact label="ID">
          <IdText id={job.id} />
        </Fact>
      </DataList>
    </PageSection>
  </>
);

const Manifest = ({ label, manifest }: { label: string; manifest: TrainingJob["manifest"] }) => (
  <Fact label={label}>
    {plural(manifest.rows, "Example")}
    {manifest.rowsErased > 0 ? `, of which ${formatCount(manifest.rowsErased)} were deleted since` : ""}
    <Text size="xs" c="dimmed" component="div" className="mono" style={{ overflowWrap: "anywhere" }}>
      {manifest.sha256}
    </Text>
  </Fact>
);
