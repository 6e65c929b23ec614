import { z } from "zod";

/** Maximum nodes per kind in a reply, the newest; `truncated` says whether there are more. */
export const NODES_OF_A_KIND_MAX = 500;

export const LINEAGE_NODE_KINDS = [
  "baseModel",
  "datasetVersion",
  "finding",
  "manifest",
  "job",
  "checkpoint",
  "artifact",
  "deployment",
  "export",
] as const;
/**
 * Job → base model and checkpoint → job are `trained_from`; job → checkpoint is `continued_from`; artifact → checkpoint is
 * `merged_from` or `quantized_from`; checkpoint → deployment is `deployed_as`; checkpoint or base model → export is
 * `exported_as`; job → manifest → version of a Dataset → Finding are `fed_by`.
 */
export const LINEAGE_EDGE_TYPES = [
  "trained_from",
  "continued_from",
  "merged_from",
  "quantized_from",
  "exported_as",
  "deployed_as",
  "fed_by",
] as const;

export const lineageInput = z.strictObject({
  /** A base model's `owner/name`, with or without `@revision`, or the id of a base model, job or checkpoint. */
  rootModelId: z.string().min(1).max(700),
});

/** Times are Unix ms. */
export const lineageNode = z.object({
  /** For a base model `name@revision`, for a Dataset version `id@number`, for a manifest its hash; otherwise the id. */
  id: z.string(),
  kind: z.enum(LINEAGE_NODE_KINDS),
  /** Display name. */
  name: z.string(),
  status: z.string().nullable(),
  /** When text that it was trained on was deleted with its user or conversation. */
  taintedAt: z.number().nullable(),
  createdAt: z.number().nullable(),
  /** Depends on the kind, e.g. a job's `method` or an export's `repoId` and `url`. */
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});
export type LineageNode = z.infer<typeof lineageNode>;
export const lineageEdge = z.object({ from: z.string(), to: z.string(), type: z.enum(LINEAGE_EDGE_TYPES) });
export type LineageEdge = z.infer<typeof lineageEdge>;
export const lineageReply = z.object({
  lineage: z.object({
    /** The base model from which everything here is derived; `revision: null`: all of its revisions. */
    root: z.object({ id: z.string(), revision: z.string().nullable() }),
    nodes: z.array(lineageNode),
    edges: z.array(lineageEdge),
    /** Whether nodes were left out: only the newest `limit` of each kind are included. */
    truncated: z.boolean(),
    limit: z.int(),
  }),
});
