import { and, desc, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { textArray } from "@/db/rows";
import { parityCertificates } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { checkpointParity } from "./schemas";

/** Returns the newest ready certificate of each of these checkpoints. */
export async function parityOf({ db, projectId }: Ctx, checkpointIds: readonly string[]) {
  if (checkpointIds.length === 0) return new Map<string, z.output<typeof checkpointParity>>();
  const rows = await db
    .selectDistinctOn([parityCertificates.checkpointId], {
      checkpointId: parityCertificates.checkpointId,
      certificateId: parityCertificates.id,
      verdict: parityCertificates.verdict,
      createdAt: parityCertificates.createdAt,
    })
    .from(parityCertificates)
    .where(
      and(
        eq(parityCertificates.projectId, projectId),
        sql`${parityCertificates.checkpointId} = any(${textArray(checkpointIds)})`,
        eq(parityCertificates.status, "ready"),
      ),
    )
    .orderBy(parityCertificates.checkpointId, desc(parityCertificates.createdAt), desc(parityCertificates.id));
  return new Map(
    rows.flatMap(({ checkpointId, verdict, ...rest }) =>
      verdict === null ? [] : [[checkpointId, { ...rest, verdict }] as const],
    ),
  );
}
