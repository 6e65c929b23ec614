import { z } from "zod";
import { ACTOR_KINDS, DATASET_VERSION_KINDS } from "@/db/schema/enumerations";
import { idInput, pageInput, queryInteger } from "@/server/platform/schemas";
import { example } from "../examples/schemas";

const VERSION_MAX = 2 ** 31 - 1;

/** The changes of one import, collection pass, edit session or restore. Times are Unix ms. */
export const datasetVersion = z.object({
  number: z.int(),
  kind: z.enum(DATASET_VERSION_KINDS),
  /** The id of the import or the collection pass, or the number of the restored version. */
  causeId: z.string().nullable(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  exampleCount: z.int(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** `null` while it is open to more changes. */
  closedAt: z.number().nullable(),
});
export type DatasetVersion = z.infer<typeof datasetVersion>;

export const versionReply = z.object({ version: datasetVersion });
export const versionsReply = z.object({ versions: z.array(datasetVersion), nextCursor: z.string().nullable() });
export const listVersionsInput = z.strictObject({ datasetId: idInput, ...pageInput });
export const getVersionInput = z.strictObject({ datasetId: idInput, version: queryInteger(1, VERSION_MAX) });
export const restoreVersionInput = z
  .strictObject({ datasetId: idInput, version: z.int().min(1).max(VERSION_MAX) })
  .meta({ examples: [{ version: 1 }] });

export const diffVersionsInput = z.strictObject({
  datasetId: idInput,
  from: queryInteger(0, VERSION_MAX),
  to: queryInteger(0, VERSION_MAX),
  ...pageInput,
});
export const diffReply = z.object({
  /** Newest Example first. `before` is its state in `from`, `after` in `to`; `null` if the version does not contain it. */
  changes: z.array(
    z.object({
      exampleId: z.string(),
      change: z.enum(["added", "removed", "changed"]),
      before: example.nullable(),
      after: example.nullable(),
    }),
  ),
  nextCursor: z.string().nullable(),
});
