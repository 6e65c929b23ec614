import type { LineageRows } from "./read-lineage";
import type { Root } from "./resolve-root";
import type { LineageEdge, LineageNode } from "./schemas";

type Drawing = { nodes: LineageNode[]; edges: LineageEdge[] };
type Edge = LineageEdge["type"];

export const baseNodeId = (id: string, revision: string | null) => (revision === null ? id : `${id}@${revision}`);
const versionNodeId = (datasetId: string, version: number) => `${datasetId}@${version}`;

/** The type of the edge between an artifact and its checkpoint. */
const BUILT: Record<LineageRows["artifacts"][number]["kind"], Edge> = {
  "merged-16bit": "merged_from",
  "lora-adapter": "trained_from",
  gguf: "quantized_from",
  "gguf-lora": "quantized_from",
  compressed: "quantized_from",
};

/** Converts the rows to nodes and edges. Both ends of an edge are always included. */
export function drawLineage(rows: LineageRows, root: Root, { namesFindings }: { namesFindings: boolean }): Drawing {
  const nodes = new Map<string, LineageNode>();
  const edges: LineageEdge[] = [];
  const node = (given: Omit<LineageNode, "status" | "taintedAt" | "createdAt"> & Partial<LineageNode>) => {
    if (nodes.has(given.id)) return;
    nodes.set(given.id, { status: null, taintedAt: null, createdAt: null, ...given });
  };
  const edge = (from: string, to: string, type: Edge) => edges.push({ from, to, type });
  const base = (revision: string | null) => {
    const id = baseNodeId(root.id, revision);
    node({ id, kind: "baseModel", name: id, details: { modelId: root.id, revision } });
    return id;
  };
  const saved = new Map(rows.checkpoints.map((one) => [one.id, one]));

  drawTraining(rows, { node, edge, base, saved });
  drawData(rows, { node, edge, namesFindings });
  for (const { id, kind, quantization, state, bytes, checkpointId, createdAt } of rows.artifacts) {
    const name = [kind, quantization].filter(Boolean).join(" ");
    const taintedAt = saved.get(checkpointId)?.taintedAt ?? null;
    node({ id, kind: "artifact", name, status: state, taintedAt, createdAt, details: { kind, quantization, bytes } });
    edge(id, checkpointId, BUILT[kind]);
  }
  for (const { id, name, status, backend, quantization, checkpointId, createdAt } of rows.deployments) {
    const taintedAt = saved.get(checkpointId ?? "")?.taintedAt ?? null;
    node({ id, kind: "deployment", name, status, taintedAt, createdAt, details: { backend, quantization } });
    edge(checkpointId ?? "", id, "deployed_as");
  }
  for (const { id, checkpointId, hubModel, repoId, status, createdAt, format, quantization, url } of rows.exports) {
    const taintedAt = saved.get(checkpointId ?? "")?.taintedAt ?? null;
    const details = { format, quantization, repoId, url };
    node({ id, kind: "export", name: repoId, status, taintedAt, createdAt, details });
    edge(checkpointId ?? base(hubModel?.revision ?? null), id, "exported_as");
  }
  if (![...nodes.values()].some(({ kind }) => kind === "baseModel")) base(root.revision);
  return { nodes: [...nodes.values()], edges: edges.filter(({ from, to }) => nodes.has(from) && nodes.has(to)) };
}

type Pen = {
  node: (given: Omit<LineageNode, "status" | "taintedAt" | "createdAt"> & Partial<LineageNode>) => void;
  edge: (from: string, to: string, type: Edge) => void;
};

type TrainingPen = Pen & {
  base: (revision: string | null) => string;
  saved: ReadonlyMap<string, LineageRows["checkpoints"][number]>;
};

function drawTraining({ jobs, checkpoints }: LineageRows, { node, edge, base, saved }: TrainingPen) {
  for (const { id, name, status, method, adapter, taintedAt, createdAt, ...job } of jobs) {
    node({ id, kind: "job", name, status, taintedAt, createdAt, details: { method, adapter } });
    const parent = job.parentCheckpointId;
    // If its parent is left out, it still comes from the base model.
    if (parent !== null && saved.has(parent)) edge(id, parent, "continued_from");
    else edge(id, base(job.revision), "trained_from");
  }
  for (const { id, jobId, stepNumber, state, kind, isBest, isFinal, taintedAt, createdAt } of checkpoints) {
    const details = { jobId, stepNumber, kind, isBest, isFinal };
    node({ id, kind: "checkpoint", name: `Step ${stepNumber}`, status: state, taintedAt, createdAt, details });
    edge(id, jobId, "trained_from");
  }
}

function drawData(
  { jobs, manifests, datasets, feeds }: LineageRows,
  { node, edge, namesFindings }: Pen & { namesFindings: boolean },
) {
  for (const { sha256, datasetId, datasetVersion, split, rows, rowsErased, erasedAt, createdAt } of manifests) {
    const version = versionNodeId(datasetId, datasetVersion);
    const details = { split, rows, rowsErased };
    node({ id: sha256, kind: "manifest", name: `${rows} rows, ${split}`, taintedAt: erasedAt, createdAt, details });
    const name = `${datasets.get(datasetId) ?? datasetId} v${datasetVersion}`;
    node({
      id: version,
      kind: "datasetVersion",
      name,
      taintedAt: erasedAt,
      details: { datasetId, version: datasetVersion },
    });
    edge(sha256, version, "fed_by");
  }
  for (const { id, manifestSha256, validationManifestSha256 } of jobs) {
    edge(id, manifestSha256, "fed_by");
    if (validationManifestSha256 !== null) edge(id, validationManifestSha256, "fed_by");
  }
  for (const { datasetId, version, findingId, name, at } of feeds) {
    const shown = namesFindings ? name : null;
    node({ id: findingId, kind: "finding", name: shown ?? findingId, createdAt: at, details: {} });
    edge(versionNodeId(datasetId, version), findingId, "fed_by");
  }
}
