"use client";
import { Alert, Button, Group, Loader, Skeleton, Text, VisuallyHidden } from "@mantine/core";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { Ago } from "@/app/_components/values/ago";
import { formatBytes, formatCount, plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { type PagePath, pageHref } from "../../_components/shell/pages";
import rowsTable from "./rows-table.module.css";
import classes from "./stored-size.module.css";
import { tableWords } from "./table-words";
import { useStoredSize } from "./use-stored-size";

/** The page that shows a table's rows. */
const PAGE_OF: Record<string, PagePath> = {
  conversations: "conversations",
  findings: "findings",
  rule_runs: "rule-runs",
};

export function StoredSize({ projectId }: { projectId: string }) {
  const { query, storage, measuring, measureNow, error } = useStoredSize(projectId);
  if (!storage) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={160} role="status" aria-label="Loading the stored size" />
    );
  }
  return (
    <>
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      <Group justify="space-between" gap="xs">
        <div>
          {storage.measuredAt === null ? (
            <Text size="sm">Not measured yet. It is measured once a day and on request.</Text>
          ) : (
            <>
              <Text fw={600} size="lg" className="tabular" data-testid="stored-size">
                {formatBytes(storage.bytes)}
              </Text>
              <Text size="sm" c="dimmed">
                in {plural(storage.rows, "row")}, measured <Ago at={storage.measuredAt} />
              </Text>
            </>
          )}
        </div>
        <Group gap="xs">
          {measuring ? (
            <Group gap={6} role="status">
              <Loader size={14} aria-hidden />
              <Text size="sm">Measuring, table by table…</Text>
            </Group>
          ) : null}
          <Button variant="default" disabled={measuring} onClick={measureNow}>
            Measure now
          </Button>
        </Group>
      </Group>
      {error ? (
        <Alert role="alert" color="red" p="xs" mt="sm">
          {problemOf(error).detail}
        </Alert>
      ) : null}
      {storage.tables.length > 0 ? <Tables projectId={projectId} tables={storage.tables} /> : null}
    </>
  );
}

type Table = { name: string; rows: number; bytes: number };

function Tables({ projectId, tables }: { projectId: string; tables: readonly Table[] }) {
  const bySize = [...tables].sort((one, other) => other.bytes - one.bytes || one.name.localeCompare(other.name));
  const largest = bySize[0]?.bytes ?? 0;
  return (
    <>
      <table className={`${rowsTable.table} ${classes.table}`} aria-label="Stored size by kind">
        <thead>
          <tr>
            <th scope="col">Kind</th>
            <th scope="col" className={classes.bar}>
              <VisuallyHidden>Share</VisuallyHidden>
            </th>
            <th scope="col">Rows</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {bySize.map(({ name, rows, bytes }) => {
            const page = PAGE_OF[name];
            return (
              <tr key={name}>
                <th scope="row">{tableWords(name)}</th>
                <td className={classes.bar} aria-hidden>
                  {bytes > 0 ? <div style={{ inlineSize: `${(100 * bytes) / largest}%` }} /> : null}
                </td>
                <td className="tabular">
                  {page && rows > 0 ? (
                    <Link href={pageHref(projectId, page)}>{formatCount(rows)}</Link>
                  ) : (
                    formatCount(rows)
                  )}
                </td>
                <td className="tabular">{formatBytes(bytes)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <Text size="xs" c="dimmed" mt="xs">
        Rows are counted. Sizes are estimated from a sample of each table, with its indexes in proportion.
      </Text>
    </>
  );
}
