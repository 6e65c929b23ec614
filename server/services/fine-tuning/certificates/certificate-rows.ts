import { and, desc, eq, sql } from "drizzle-orm";
import type { z } from "zod";
import { textArray } from "@/db/rows";
import { parityCertificates } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { trainerProblem } from "../jobs/schemas";
import {
  type Certificate,
  type CertifiedForm,
  certificateAnswer,
  certificateSubject,
  type checkpointParity,
} from "./schemas";

export type CertificateRow = typeof parityCertificates.$inferSelect;

/** Condition: a certificate of the project. */
export const isCertificate = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(parityCertificates.projectId, projectId), eq(parityCertificates.id, id));

export const formsOf = (row: Pick<CertificateRow, "forms">) =>
  row.forms as unknown as Pick<CertifiedForm, "kind" | "quantization">[];

/** Converts a certificate to its public form, without its answers. */
export const certificateJson = (row: CertificateRow): Certificate => ({
  ...row,
  forms: formsOf(row),
  subjects: row.subjects?.map((subject) => certificateSubject.parse(subject)) ?? null,
  error: row.error && trainerProblem.parse(row.error),
});

export const answersOf = ({ answers }: CertificateRow) =>
  answers?.map((answer) => certificateAnswer.parse(answer)) ?? null;

export async function readCertificate(ctx: Ctx, id: string): Promise<CertificateRow> {
  const [row] = await ctx.db.select().from(parityCertificates).where(isCertificate(ctx, id));
  if (!row) throw notFound("The certificate");
  return row;
}

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
