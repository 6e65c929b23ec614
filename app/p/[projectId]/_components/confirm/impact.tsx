import { Stack, Text } from "@mantine/core";
import Link from "next/link";
import { ExactTime } from "@/app/_components/values/exact-time";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatCount, plural } from "@/app/_lib/format";
import type { DeletionPreview } from "@/server/services/deletion/schemas";
import classes from "./impact.module.css";

type Touched = Pick<DeletionPreview, "findings" | "recountedFindings" | "touchedFindings">;
type Counts = Pick<DeletionPreview, "messages" | "spans" | "logRecords" | "occurrences"> &
  Touched &
  Partial<Pick<DeletionPreview, "modelCalls" | "toolCalls" | "examples" | "files">>;

type Props = {
  projectId: string;
  conversations: number;
  /** Where to see them; absent if they are already on the page. */
  href?: string;
  /** What would be deleted with them; `null` if there are too many to count. */
  counts: Counts | null;
  oldestActivityAt: number | null;
  /** Whether the list is complete. */
  complete: boolean;
};

/** Shows what a deletion would delete. */
export function Impact({ projectId, conversations, href, counts, oldestActivityAt, complete }: Props) {
  const atLeast = complete ? "" : "≥ ";
  const rows: [name: string, count: number][] = counts
    ? [
        ["Messages", counts.messages],
        ["Spans", counts.spans],
        ...(counts.modelCalls === undefined ? [] : [["Model calls", counts.modelCalls] as [string, number]]),
        ...(counts.toolCalls === undefined ? [] : [["Tool calls", counts.toolCalls] as [string, number]]),
        ["Log records", counts.logRecords],
        ["Occurrences", counts.occurrences],
        ["Findings deleted", counts.findings],
        ["Findings recounted", counts.recountedFindings],
        ...(counts.examples === undefined ? [] : [["Examples", counts.examples] as [string, number]]),
        ...(counts.files === undefined ? [] : [["Imported files", counts.files] as [string, number]]),
      ]
    : [];
  return (
    <Stack gap="sm" data-testid="impact">
      <dl className={classes.counts}>
        <div>
          <dt>Conversations</dt>
          <dd className="tabular">
            {atLeast}
            {href && conversations > 0 ? (
              <Link href={href}>{formatCount(conversations)}</Link>
            ) : (
              formatCount(conversations)
            )}
          </dd>
        </div>
        {rows.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="tabular">
              {atLeast}
              {formatCount(count)}
            </dd>
          </div>
        ))}
      </dl>
      {oldestActivityAt === null ? null : (
        <Text size="sm">
          The oldest was last active on <ExactTime at={oldestActivityAt} />.
        </Text>
      )}
      {counts === null ? (
        <Text size="sm">There are too many to count their messages, spans, calls and Findings.</Text>
      ) : (
        <Findings projectId={projectId} {...counts} />
      )}
    </Stack>
  );
}

function Findings({ projectId, findings, recountedFindings, touchedFindings }: Touched & { projectId: string }) {
  if (touchedFindings.length === 0) return null;
  const others = findings + recountedFindings - touchedFindings.length;
  return (
    <ul className={classes.findings} aria-label="Affected Findings">
      {touchedFindings.map(({ id, title, goes }) => (
        <li key={id}>
          <Link href={`/p/${projectId}/findings/${encodeURIComponent(id)}`}>
            <bdi>
              <InlineCode text={title} />
            </bdi>
          </Link>{" "}
          <span className={classes.fate}>
            {goes ? "deleted: no other conversation shows it" : "kept and recounted"}
          </span>
        </li>
      ))}
      {others > 0 ? <li className={classes.fate}>and {plural(others, "other")}</li> : null}
    </ul>
  );
}
