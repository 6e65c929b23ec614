import type { LineageEdge, LineageNode } from "@/server/services/models/lineage/schemas";
import { pageHref } from "../../../_components/shell/pages";
import { checkpointHref, deploymentHref, exportHref, jobHref } from "../../../_components/training/hrefs";
import { datasetHref } from "../../../datasets/_components/view";

export const KINDS: Record<LineageNode["kind"], string> = {
  baseModel: "Base model",
  datasetVersion: "Dataset version",
  finding: "Finding",
  manifest: "Frozen Examples",
  job: "Training run",
  checkpoint: "Checkpoint",
  artifact: "Built form",
  deployment: "Deployment",
  export: "Export",
};

export const EDGES: Record<LineageEdge["type"], string> = {
  trained_from: "trained into",
  continued_from: "continued by",
  merged_from: "merged into",
  quantized_from: "quantized into",
  exported_as: "exported as",
  deployed_as: "deployed as",
  fed_by: "fed",
};

const BUILT_FROM: ReadonlySet<LineageEdge["type"]> = new Set(["merged_from", "quantized_from"]);

/** Returns the page of a node; `null` if it has none. What was built from a checkpoint is on the checkpoint's. */
export function nodeHref(
  projectId: string,
  { kind, id, details }: LineageNode,
  edges: readonly LineageEdge[],
): string | null {
  const detail = (name: string) => (typeof details[name] === "string" ? details[name] : null);
  switch (kind) {
    case "datasetVersion":
      return `${datasetHref(projectId, detail("datasetId") ?? id.replace(/@[^@]*$/, ""))}?tab=versions`;
    case "finding":
      return `${pageHref(projectId, "findings")}/${encodeURIComponent(id)}`;
    case "job":
      return jobHref(projectId, id);
    case "checkpoint":
      return checkpointHref(projectId, id);
    case "artifact": {
      const checkpointId = edges.find(({ from, type }) => from === id && BUILT_FROM.has(type))?.to;
      return checkpointId === undefined ? null : checkpointHref(projectId, checkpointId);
    }
    case "deployment":
      return deploymentHref(projectId, id);
    case "export":
      return exportHref(projectId, id);
    default:
      return null;
  }
}

export const statusWords = (status: string | null) => (status === null ? "" : status.replaceAll("_", " "));
