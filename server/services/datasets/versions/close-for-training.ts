import { and, eq } from "drizzle-orm";
import { datasetVersions } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { readDatasetRow } from "../datasets/read-dataset";
import { lockDataset } from "../examples/lock-dataset";
import { closeVersion } from "./open-version";

const RUNNING =
  "Examples are being written into this Dataset. Wait until that has ended, or train on an earlier version.";

/**
 * Closes a version of a Dataset, by default the newest, so that its Examples no longer change. Returns its number and the
 * Dataset's name.
 */
export const closeForTraining = (
  ctx: Ctx,
  datasetId: string,
  input?: number,
): Promise<{ version: number; name: string }> =>
  inTransaction(ctx, async (tx) => {
    const dataset = await lockDataset(tx, datasetId);
    const { name, schemaType, schemaVersion } = await readDatasetRow(tx, datasetId);
    if (schemaType !== "chat" || schemaVersion !== 1) {
      throw unprocessable("/datasetId", `Only Datasets of the schema chat/v1 can be trained on.`);
    }
    const version = input ?? dataset.version;
    const [found] = await tx.db
      .select({ closedAt: datasetVersions.closedAt, causeId: datasetVersions.causeId })
      .from(datasetVersions)
      .where(
        and(
          eq(datasetVersions.projectId, tx.projectId),
          eq(datasetVersions.datasetId, datasetId),
          eq(datasetVersions.number, version),
        ),
      );
    if (!found && input !== undefined) throw notFound("The version");
    if (found?.closedAt === null) {
      if (found.causeId !== null) throw new ServiceError("conflict", RUNNING);
      await closeVersion(tx, dataset);
    }
    return { version, name };
  });
