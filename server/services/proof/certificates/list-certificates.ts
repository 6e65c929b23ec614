import { and, eq, getTableColumns } from "drizzle-orm";
import { parityCertificates } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { requireCheckpoint } from "@/server/services/models";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { answersOf, certificateJson, readCertificate } from "./certificate-rows";
import { certificateIdInput, certificateReply, certificatesReply, listCertificatesInput } from "./schemas";

/** The answers are long, and a list does not show them. */
const { answers: _, ...COLUMNS } = getTableColumns(parityCertificates);

export const listCertificates = verb(
  {
    name: "certificates.list",
    summary: "List the parity certificates of a checkpoint, newest first.",
    description:
      "Without prompts and answers, which each certificate has when it is read alone. `verdict` is `null` until it is `ready`; `staleSince` says since when its trainer has been unreachable.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listCertificatesInput,
    reply: certificatesReply,
  },
  async (ctx, { checkpointId, limit, cursor }) => {
    await requireCheckpoint(ctx, checkpointId);
    const { rows, nextCursor } = await listPage(
      {
        name: "parity-certificates",
        table: parityCertificates,
        filters: { project: ctx.projectId, checkpoint: checkpointId },
        limit,
        cursor,
      },
      (after) =>
        ctx.db
          .select(COLUMNS)
          .from(parityCertificates)
          .where(
            and(
              eq(parityCertificates.projectId, ctx.projectId),
              eq(parityCertificates.checkpointId, checkpointId),
              after,
            ),
          ),
    );
    return { certificates: rows.map((row) => certificateJson({ ...row, answers: null })), nextCursor };
  },
);

export const getCertificate = verb(
  {
    name: "certificates.get",
    summary: "Read one parity certificate with its prompts and answers.",
    description:
      "`subjects` has one entry for each format and the deployment. `answers` is `null` once training data of the checkpoint has been deleted with a user or conversation; the figures remain.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: certificateIdInput,
    reply: certificateReply,
  },
  async (ctx, { certificateId }) => {
    const row = await readCertificate(ctx, certificateId);
    return { certificate: { ...certificateJson(row), answers: answersOf(row) } };
  },
);
