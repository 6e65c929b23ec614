import { Alert, Anchor, List, Progress, Stack, Text } from "@mantine/core";
import { Ago } from "@/app/_components/values/ago";
import { formatBytes, formatCount, formatDuration, plural } from "@/app/_lib/format";
import type { DatasetImport } from "@/server/services/datasets/imports/schemas";
import { isRunning, rejectsHref, remainsWords, resultWords, rowsRead } from "./import-words";

const ERRORS_SHOWN = 10;

/** The bar and the numbers of an import in progress. */
export function ImportBar({ shown }: { shown: DatasetImport }) {
  const { bytesDone, bytesTotal, rate, etaMs } = shown;
  return (
    <div>
      <Progress
        size="sm"
        value={bytesTotal === 0 ? 0 : Math.min(100, (100 * bytesDone) / bytesTotal)}
        aria-label="Share of the file read"
      />
      <Text size="xs" c="dimmed" className="tabular" mt={2}>
        {plural(rowsRead(shown), "row")} · {formatBytes(bytesDone)} of {formatBytes(bytesTotal)}
        {rate ? ` · ${formatCount(Math.round(rate))}/s` : ""}
        {etaMs === null ? "" : ` · ${formatDuration(etaMs)} left`}
      </Text>
    </div>
  );
}

/** What an import has done so far, or its result once it has ended. */
export function ImportState({ projectId, shown }: { projectId: string; shown: DatasetImport }) {
  const remains = remainsWords(shown);
  return (
    <Stack gap="sm">
      {isRunning(shown) ? <ImportBar shown={shown} /> : null}
      {shown.error ? (
        <Alert color="red" p="xs" role="alert">
          {shown.error}
        </Alert>
      ) : null}
      <Text size="sm" role="status">
        {shown.status === "validating"
          ? `${formatCount(shown.rowsValid)} usable, ${formatCount(shown.rejected)} not`
          : resultWords(shown)}
        {shown.version !== null && !remains ? `, in version ${shown.version}` : ""}
      </Text>
      {remains ? <Text size="sm">{remains}</Text> : null}
      {shown.errors.length > 0 ? (
        <List size="sm" aria-label="Unusable rows" style={{ overflowWrap: "anywhere" }}>
          {shown.errors.slice(0, ERRORS_SHOWN).map(({ line, message }) => (
            <List.Item key={line}>
              Line {formatCount(line)}: {message}
            </List.Item>
          ))}
        </List>
      ) : null}
      {shown.fileErasedAt === null ? null : (
        <Text size="sm">
          File deleted with a user’s data <Ago at={shown.fileErasedAt} />.
        </Text>
      )}
      {shown.rejected > 0 && shown.fileErasedAt === null && !isRunning(shown) ? (
        <Text size="sm">
          <Anchor href={rejectsHref(projectId, shown)} download>
            Download the {plural(shown.rejected, "unusable row")}
          </Anchor>{" "}
          as JSONL, each with its problem. Available while the file is stored.
        </Text>
      ) : null}
    </Stack>
  );
}
