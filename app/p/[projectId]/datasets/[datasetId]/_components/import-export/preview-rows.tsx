import { Alert, List, Stack, Text } from "@mantine/core";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { formatCount, plural } from "@/app/_lib/format";
import type { ImportPreview } from "@/server/services/datasets/imports/schemas";

const ROWS_SHOWN = 3;
/** Column names are quoted, and may have no spaces to break at. */
const BREAKS = { overflowWrap: "anywhere" } as const;

/** A preview of an import: how many rows are usable, what is wrong with the others, and the first rows as Examples. */
export function PreviewRows({ preview }: { preview: ImportPreview }) {
  const { rowsChecked, complete, rowsUsable, problems, warnings, rows } = preview;
  if (!preview.usable) {
    return (
      <Alert color="yellow" p="xs" role="status">
        Choose the column that contains the expected answer or the whole conversation.
      </Alert>
    );
  }
  const bad = rowsChecked - rowsUsable;
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {complete ? `All ${plural(rowsChecked, "row")}` : `The first ${plural(rowsChecked, "row")}`} checked:{" "}
        {formatCount(rowsUsable)} usable, {formatCount(bad)} not.
      </Text>
      {problems.length > 0 ? (
        <List size="sm" aria-label="Problems" style={BREAKS}>
          {problems.map(({ message, rows: count, firstLine }) => (
            <List.Item key={message}>
              Line {formatCount(firstLine)}: {message}
              {count > 1 ? ` (${plural(count, "row")})` : ""}
            </List.Item>
          ))}
        </List>
      ) : null}
      {warnings.length > 0 ? (
        <List size="sm" c="dimmed" aria-label="Ignored" style={BREAKS}>
          {warnings.map(({ message, line }) => (
            <List.Item key={message}>
              Line {formatCount(line)}: {message}
            </List.Item>
          ))}
        </List>
      ) : null}
      {rows
        .filter(({ payload }) => payload !== undefined)
        .slice(0, ROWS_SHOWN)
        .map(({ line, payload }) => (
          <div key={line}>
            <Text size="xs" c="dimmed">
              Line {formatCount(line)} becomes
            </Text>
            <ScrollPre label={`The Example of line ${line}`}>{JSON.stringify(payload, null, 1)}</ScrollPre>
          </div>
        ))}
    </Stack>
  );
}
