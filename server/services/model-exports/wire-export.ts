import { z } from "zod";
import { EXPORT_STATUSES } from "@/db/schema/enumerations";
import { storableValue, trainerProblemOf } from "@/server/services/trainers";

const FILES_MAX = 10_000;
const text = z.string().max(2000);

/**
 * An export as the trainer reports it. Fields that are missing or in another form are ignored, because the trainer's version
 * may differ.
 */
const wireExport = z.object({
  status: z.enum(EXPORT_STATUSES),
  progress: z
    .object({ bytes_done: z.number().min(0), bytes_total: z.number().min(0).nullish().catch(null) })
    .nullish()
    .catch(null),
  commit_oid: text.nullish().catch(null),
  url: text.nullish().catch(null),
  files: z
    .array(z.object({ path: text, size: z.number().min(0), sha256: text }))
    .max(FILES_MAX)
    .nullish()
    .catch(null),
  error: z.unknown(),
});

/** Returns a URL only if it is the hub's own, because people follow it. */
function urlBelow(endpoint: string, url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url) || !URL.canParse(endpoint)) return null;
  return new URL(url).origin === new URL(endpoint).origin ? url : null;
}

/** Converts a trainer's report of an export to our terms; returns `null` for anything else. */
export function readWireExport(body: unknown, endpoint: string) {
  const given = (storableValue(body) ?? {}) as { export?: unknown };
  const parsed = wireExport.safeParse(given.export);
  if (!parsed.success) return null;
  const { status, progress, commit_oid, url, files, error } = parsed.data;
  return {
    status,
    progress: progress ? { bytesDone: progress.bytes_done, bytesTotal: progress.bytes_total ?? null } : null,
    commitOid: commit_oid ?? null,
    url: urlBelow(endpoint, url),
    files: files ?? null,
    problem: error == null ? null : trainerProblemOf(error),
  };
}
