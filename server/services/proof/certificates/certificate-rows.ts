import { and, eq } from "drizzle-orm";
import { parityCertificates } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { trainerProblem } from "@/server/services/trainers/schemas";
import { type Certificate, type CertifiedForm, certificateAnswer, certificateSubject } from "./schemas";

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
