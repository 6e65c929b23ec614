"use client";
import { Alert, Anchor, Button, DataList, Group, Modal, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { Dot } from "@/app/_components/values/dot";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, plural, UNKNOWN } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Deletion } from "@/server/services/deletion/schemas";
import { pageHref } from "../../_components/shell/pages";
import { DeletionStatus, deletionProgress, isOpen, requestedBy, SCOPE_WORDS } from "./deletion-words";
import classes from "./rows-table.module.css";
import { byMeaning, tableWords } from "./table-words";

const BUSY_MS = 1000;

type Props = { projectId: string; deletionId: string | null; onClose: () => void };

/** One deletion's receipt, with its progress while it runs. */
export function Receipt({ projectId, deletionId, onClose }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(deletionId);
  if (deletionId !== null && deletionId !== shown) setShown(deletionId);
  return (
    <Modal opened={deletionId !== null} onClose={onClose} title="Receipt of a deletion" size="lg">
      {shown === null ? null : <Contents key={shown} projectId={projectId} deletionId={shown} />}
    </Modal>
  );
}

function Contents({ projectId, deletionId }: { projectId: string; deletionId: string }) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.deletions.get.queryOptions(
      { projectId, deletionId },
      { refetchInterval: ({ state }) => (state.data && isOpen(state.data.deletion) ? BUSY_MS : false) },
    ),
  );
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={240} role="status" aria-label="Loading the receipt" />
    );
  }
  const { deletion } = query.data;
  return (
    <Stack gap="md">
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <State projectId={projectId} deletion={deletion} />
      <DataList size="sm" gap={6} labelWidth={110}>
        <Fact label="What">{SCOPE_WORDS[deletion.scope]}</Fact>
        <Fact label="Requested by">{requestedBy(deletion)}</Fact>
        <Fact label="Requested">
          <ExactTime at={deletion.createdAt} />
        </Fact>
        <Fact label="Completed">
          {deletion.completedAt === null ? "Not yet" : <ExactTime at={deletion.completedAt} />}
        </Fact>
        <Fact label="ID">
          <IdText id={deletion.id} />
        </Fact>
      </DataList>
      <Counts deletion={deletion} />
    </Stack>
  );
}

/** The outcome in a sentence: done and nothing found, done and something found, in progress, or stalled. */
function State({ projectId, deletion }: { projectId: string; deletion: Deletion }) {
  const { status, remaining, expected, counts } = deletion;
  if (deletion.failedJobId !== null) {
    return <Stalled projectId={projectId} deletion={deletion} jobId={deletion.failedJobId} />;
  }
  if (status !== "completed") {
    const gone = counts.conversations ?? 0;
    return (
      <Stack gap={6}>
        <Text size="sm" role="status">
          <DeletionStatus deletion={deletion} />. {deletionProgress(deletion)} deleted. You can close this; it continues
          in the background.
        </Text>
        {expected ? (
          <Progress value={Math.min(100, (100 * gone) / expected)} aria-label="Deleted conversations" />
        ) : null}
      </Stack>
    );
  }
  const left = remaining === null ? 0 : Object.values(remaining).reduce((sum, rows) => sum + rows, 0);
  return (
    <Text size="sm" role="status">
      {left > 0 ? (
        <>
          <Dot color="var(--severity-medium)">Complete</Dot>. {plural(left, "row")} arrived just as it ended and{" "}
          {left === 1 ? "was" : "were"} not deleted. Delete again to remove them as well.
        </>
      ) : (
        <>
          <DeletionStatus deletion={deletion} />.{" "}
          {remaining === null
            ? "Remaining data was not searched for: this is done only for users and single conversations."
            : `All ${Object.keys(remaining).length} tables were searched afterwards, and nothing was found.`}
        </>
      )}
    </Text>
  );
}

function Stalled({ projectId, deletion, jobId }: { projectId: string; deletion: Deletion; jobId: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const replay = useMutation(
    trpc.backgroundJobs.replay.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.deletions.pathKey() }),
    }),
  );
  return (
    <Alert role="alert" color="red" p="sm">
      <Stack gap="xs">
        <Text size="sm">
          Stalled at {deletionProgress(deletion)}: its background job failed and has no retries left. Resume it to
          continue where it stopped.
        </Text>
        {replay.error ? <Text size="sm">{problemOf(replay.error).detail}</Text> : null}
        <Group gap="xs">
          <Button
            variant="default"
            loading={replay.isPending}
            onClick={() => replay.mutate({ projectId, backgroundJobId: jobId })}
          >
            Resume
          </Button>
          <Anchor component={Link} size="sm" href={`${pageHref(projectId, "jobs")}?peek=${encodeURIComponent(jobId)}`}>
            Why it failed
          </Anchor>
        </Group>
      </Stack>
    </Alert>
  );
}

function Counts({ deletion: { counts, remaining, status } }: { deletion: Deletion }) {
  const verified = remaining !== null;
  const tables = [...new Set([...Object.keys(counts), ...Object.keys(remaining ?? {})])].sort(byMeaning);
  if (tables.length === 0) {
    return status === "completed" ? (
      <Text size="sm">There was nothing to delete.</Text>
    ) : (
      <Text size="sm">Nothing deleted yet.</Text>
    );
  }
  return (
    <table className={`${classes.table} ${classes.ruled}`} aria-label="Rows by kind">
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Deleted</th>
          {verified ? <th scope="col">Found afterwards</th> : null}
        </tr>
      </thead>
      <tbody>
        {tables.map((table) => (
          <tr key={table}>
            <th scope="row">{tableWords(table)}</th>
            <td className="tabular">{formatCount(counts[table] ?? 0)}</td>
            {verified ? (
              <td className="tabular">
                {remaining[table] === undefined ? (
                  <span title="not searched">{UNKNOWN}</span>
                ) : (
                  <Left rows={remaining[table]} />
                )}
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Left = ({ rows }: { rows: number }) => (rows === 0 ? "none" : formatCount(rows));
