import { streamVerb } from "@/server/platform/stream-verb";
import { exportCosts } from "./export-costs";

/** `costs.export` as a plain CSV file. */
export const downloadCosts = streamVerb(
  {
    name: "costs.download",
    summary: "Download what model calls cost as CSV.",
    description: `${exportCosts.spec.summary} ${exportCosts.spec.description} In this operation, the file name shows whether it is complete.`,
    capability: "model-pricing:read",
    effect: "read",
    input: exportCosts.spec.input,
    produces: { "text/csv": { type: "string" } },
  },
  async (ctx, input) => {
    const { csv } = await exportCosts(ctx, input);
    const fileName = csv.complete ? csv.fileName : csv.fileName.replace(/\.csv$/, `-first-${csv.rows}-rows.csv`);
    return { mediaType: "text/csv", fileName, body: csv.text };
  },
);
