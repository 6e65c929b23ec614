import { Progress, Text } from "@mantine/core";
import { formatBytes } from "@/app/_lib/format";
import type { ModelExport } from "@/server/services/model-exports/schemas";
import { ExportStatus } from "../../_components/serving/status";
import { isUnfinishedExport } from "../../_components/serving/words";

const PERCENT = 100;

/** The percentage of bytes uploaded; `null` while unknown. */
const uploaded = ({ status, progress }: Pick<ModelExport, "status" | "progress">) =>
  status !== "uploading" || progress === null || !progress.bytesTotal
    ? null
    : Math.min(PERCENT, (PERCENT * progress.bytesDone) / progress.bytesTotal);

/** What an export is doing; empty if its status says it all. */
function progressWords(of: ModelExport): string {
  const { status, progress, error, staleSince, cancelRequestedAt } = of;
  if (status === "failed") return error?.message ?? "";
  if (staleSince !== null) return "Trainer unreachable";
  if (cancelRequestedAt !== null && isUnfinishedExport(of)) return "Cancelling";
  if (status === "preflight") return "Token, repository and answers";
  if (status !== "uploading" || progress === null) return "";
  return progress.bytesTotal === null
    ? formatBytes(progress.bytesDone)
    : `${formatBytes(progress.bytesDone)} of ${formatBytes(progress.bytesTotal)}`;
}

/** An export's status with its progress, for a row of a list. */
export function ExportState({ of }: { of: ModelExport }) {
  const words = progressWords(of);
  const percent = uploaded(of);
  return (
    <>
      <ExportStatus of={of} />
      {percent === null ? null : <Progress size={3} mt={3} value={percent} aria-label="Uploaded" />}
      {words === "" ? null : (
        <Text size="xs" c="dimmed" className="clip tabular" component="div" title={words}>
          {words}
        </Text>
      )}
    </>
  );
}
