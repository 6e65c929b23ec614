import { DataList, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, formatDuration, UNKNOWN } from "@/app/_lib/format";
import type { ListedRuleRun } from "@/server/services/diagnostics/schemas";
import { RuleName } from "../../_components/findings/rule-name";
import { ThingId } from "../../_components/things/thing-id";
import { ThingName } from "../../_components/things/thing-name";
import { outcomeOf } from "./columns";
import { RunStatus } from "./run-status";
import { ORIGIN_WORD } from "./view";

/** A Run's details: why it was skipped or failed, its attempts and its notes. */
export function RunFacts({ projectId, run }: { projectId: string; run: ListedRuleRun }) {
  const conversation = `/p/${projectId}/conversations/${encodeURIComponent(run.conversationId)}`;
  return (
    <Stack p="md" gap="md">
      <DataList size="sm" gap={6} labelWidth={110}>
        <Fact label="Status">
          <RunStatus status={run.status} />
        </Fact>
        <Fact label="Outcome">{outcomeOf(run)}</Fact>
        <Fact label="Rule">
          <Link href={`/p/${projectId}/rules/${encodeURIComponent(run.ruleId)}`}>
            <RuleName ruleId={run.ruleId} />
          </Link>{" "}
          v{run.ruleVersion}
        </Fact>
        <Fact label="Settings">Revision {formatCount(run.configurationRevision)}</Fact>
        <Fact label="Conversation">
          <ThingName
            projectId={projectId}
            thing={{ type: "conversation", id: run.conversationId, name: run.conversationPreview }}
          />
          {run.conversationPreview === null ? null : <ThingId id={run.conversationId} />}
        </Fact>
        <Fact label="Checked as of">
          <ExactTime at={run.lastActivityAt} />
        </Fact>
        {run.traceIds.length === 0 ? null : <Fact label="Traces">{formatCount(run.traceIds.length)} specified</Fact>}
        <Fact label="Origin">{ORIGIN_WORD[run.origin]}</Fact>
        {run.backfillId === null ? null : (
          <Fact label="Backfill">
            <Link className="mono" href={`/p/${projectId}/backfills?peek=${run.backfillId}`}>
              {run.backfillId}
            </Link>
          </Fact>
        )}
        <Fact label="Attempts">{formatCount(run.attempts)}</Fact>
        <Fact label="Requested">
          <ExactTime at={run.createdAt} />
        </Fact>
        <Fact label="Started">
          <ExactTime at={run.startedAt} />
        </Fact>
        <Fact label="Finished">
          <ExactTime at={run.finishedAt} />
        </Fact>
        <Fact label="Duration">
          {run.startedAt === null || run.finishedAt === null ? UNKNOWN : formatDuration(run.finishedAt - run.startedAt)}
        </Fact>
        <Fact label="ID">
          <IdText id={run.id} />
        </Fact>
      </DataList>
      {run.notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
      {run.resultCount ? <Link href={conversation}>See what it found, at the turn</Link> : null}
    </Stack>
  );
}
