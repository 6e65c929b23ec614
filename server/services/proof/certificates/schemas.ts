import { z } from "zod";
import {
  ACTOR_KINDS,
  CERTIFICATE_STATUSES,
  COMPRESSED_QUANTIZATIONS,
  GGUF_QUANTIZATIONS,
  PARITY_VERDICTS,
} from "@/db/schema/enumerations";
import { idInput, pageInput } from "@/server/platform/schemas";
import { trainerProblem } from "@/server/services/trainers/schemas";

const FORMS_MAX = 1 + GGUF_QUANTIZATIONS.length + COMPRESSED_QUANTIZATIONS.length;

/** A form that can be built from a checkpoint and compared with it. */
export const certifiedForm = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("merged-16bit"), quantization: z.null().default(null) }),
  z.strictObject({ kind: z.literal("gguf"), quantization: z.enum(GGUF_QUANTIZATIONS) }),
  z.strictObject({ kind: z.literal("compressed"), quantization: z.enum(COMPRESSED_QUANTIZATIONS) }),
]);
export type CertifiedForm = z.output<typeof certifiedForm>;

export const certifyCheckpointInput = z.strictObject({
  checkpointId: idInput,
  /** Default: the merged model, and every form that its job has built from it. */
  forms: z.array(certifiedForm).max(FORMS_MAX).optional(),
  /** A running deployment of the checkpoint, whose answers are compared too. */
  deploymentId: idInput.optional(),
});
export const certificateIdInput = z.strictObject({ certificateId: idInput });
export const listCertificatesInput = z.strictObject({ checkpointId: idInput, ...pageInput });

const subjectOf = {
  kind: z.string(),
  quantization: z.string().nullable(),
  /** Only for a deployment; `null` for a built form. */
  deploymentId: z.string().nullable(),
};

/** One comparison with the checkpoint. Distances are in nats per token of the checkpoint's own answers. */
export const certificateSubject = z.object({
  ...subjectOf,
  /** `same`: word for word. `close`: within `threshold`. `different` fails the certificate; `null`: could not be compared. */
  verdict: z.enum(["same", "close", "different"]).nullable(),
  prompts: z.int(),
  identicalAnswers: z.int(),
  tokensCompared: z.int(),
  tokensEqual: z.int(),
  /** Index of the first differing token, from 0; `null` if none differs. */
  firstDifference: z.int().nullable(),
  meanLogprobDistance: z.number().nullable(),
  maxLogprobDistance: z.number().nullable(),
  threshold: z.record(z.string(), z.number().nullable()),
  error: trainerProblem.nullable(),
});

/** One prompt with the answers of the checkpoint and of everything compared with it. */
export const certificateAnswer = z.object({
  messages: z.array(z.record(z.string(), z.unknown())),
  reference: z.object({ content: z.string(), tokens: z.int().nullable() }),
  subjects: z.array(z.object({ ...subjectOf, content: z.string().nullable() })),
});

/** A comparison, at temperature 0, of a checkpoint's answers with those of the forms built from it. Times are Unix ms. */
export const certificate = z.object({
  id: z.string(),
  checkpointId: z.string(),
  status: z.enum(CERTIFICATE_STATUSES),
  /** `null` until it is `ready`. */
  verdict: z.enum(PARITY_VERDICTS).nullable(),
  forms: z.array(z.object({ kind: z.string(), quantization: z.string().nullable() })),
  deploymentId: z.string().nullable(),
  subjects: z.array(certificateSubject).nullable(),
  error: trainerProblem.nullable(),
  /** Since when its trainer has been unreachable. */
  staleSince: z.number().nullable(),
  actorKind: z.enum(ACTOR_KINDS),
  actorId: z.string().nullable(),
  createdAt: z.number(),
  finishedAt: z.number().nullable(),
  updatedAt: z.number(),
});
export type Certificate = z.infer<typeof certificate>;
/** `answers` is `null` until it is ready, and again after text of a prompt was deleted with its user or conversation. */
export const certificateReply = z.object({
  certificate: certificate.extend({ answers: z.array(certificateAnswer).nullable() }),
});
export const certificatesReply = z.object({
  certificates: z.array(certificate),
  nextCursor: z.string().nullable(),
});
/** The reply for callers who may compare but not read. */
export const requestedCertificateReply = z.object({
  certificate: certificate.pick({ id: true, status: true, createdAt: true }),
});
