import { and, eq } from "drizzle-orm";
import { checkpoints, trainingJobs } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { streamVerb } from "@/server/platform/stream-verb";
import { parseRange } from "@/server/services/files";
import { FINE_TUNING_READERS, openTrainer, requireTrainer, trainerFailure } from "@/server/services/trainers";
import { checkpointFileInput } from "./schemas";

const DOWNLOAD_SECONDS = 3600;
/** Needed only for resuming a training. It contains pickles, and loading one can run code. */
const RESUME_STATE = /^state\//;

async function readFileOf({ db, projectId }: Ctx, checkpointId: string, path: string) {
  const [row] = await db
    .select({ files: checkpoints.files, state: checkpoints.state, trainerId: trainingJobs.trainerId })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.id, checkpointId)));
  if (!row) throw notFound("The checkpoint");
  const file = row.files.find((one) => one.path === path);
  if (!file || RESUME_STATE.test(path)) throw notFound("The file");
  if (row.state === "pruned") throw new ServiceError("conflict", "The trainer deleted this checkpoint's files.");
  return { file, trainerId: row.trainerId ?? "" };
}

export const downloadCheckpointFile = streamVerb(
  {
    name: "checkpoints.download",
    summary: "Download a file of a checkpoint, or a range of it.",
    description:
      "`path` is one of the checkpoint's `files` that a model is loaded from. It is read from the trainer that stores it (503 while that is unreachable). The ETag is the content's SHA-256.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: checkpointFileInput,
    produces: { "*/*": { type: "string", format: "binary" } },
    ranges: true,
    limits: { seconds: DOWNLOAD_SECONDS },
  },
  async (ctx, { checkpointId, path }, { range }) => {
    await requireTrainer(ctx);
    const { file, trainerId } = await readFileOf(ctx, checkpointId, path);
    const part = parseRange(range, file.size);
    const address = path.split("/").map(encodeURIComponent).join("/");
    const headers = part ? { range: `bytes=${part.start}-${part.end}` } : {};
    const given = { projectId: ctx.projectId, method: "GET" as const, headers };
    const opened = openTrainer(ctx.db, trainerId).then((client) =>
      client.download({ ...given, path: `/checkpoints/${encodeURIComponent(checkpointId)}/files/${address}` }),
    );
    const { status, body } = await opened.catch((error) => {
      throw trainerFailure(error);
    });
    if (status !== (part ? 206 : 200)) {
      throw new ServiceError("unavailable", "The trainer sent a different part of the file than requested.");
    }
    const common = { mediaType: "application/octet-stream", fileName: path.split("/").at(-1) ?? "file", body };
    const always = { "accept-ranges": "bytes", etag: `"${file.sha256}"` };
    if (!part) return { ...common, headers: { ...always, "content-length": String(file.size) } };
    const { start, end } = part;
    const length = { "content-length": String(end - start + 1), "content-range": `bytes ${start}-${end}/${file.size}` };
    return { ...common, status: 206 as const, headers: { ...always, ...length } };
  },
);
