import { and, eq, ne } from "drizzle-orm";
import { files } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { ServiceError } from "@/server/platform/errors";
import { fileStore, isMissing } from "@/server/platform/files";
import { streamVerb } from "@/server/platform/stream-verb";
import { verb } from "@/server/platform/verb";
import { parseRange } from "./parse-range";
import { fileJson, objectKey, readFile, uploadKey } from "./rows";
import { fileInput, filesReply, listFilesInput, uploadReply } from "./schemas";
import { CONTENT_SECONDS } from "./upload-file";

export const listFiles = verb(
  {
    name: "files.list",
    summary: "List the project's files and uploads in progress, newest first.",
    description:
      "Datasets and imports refer to files by id. `bytes` and `sha256` are the declared values until the upload is finished, then the actual ones.",
    effect: "read",
    capability: "project:data:read",
    input: listFilesInput,
    reply: filesReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage({ name: "files", table: files, filters: {}, limit, cursor }, (after) =>
      ctx.db
        .select()
        .from(files)
        .where(and(eq(files.projectId, ctx.projectId), ne(files.state, "deleting"), after)),
    );
    return { files: rows.map(fileJson), pagination: { limit, nextCursor } };
  },
);

export const getFile = verb(
  {
    name: "files.get",
    summary: "Get a file, with the progress of its upload.",
    description:
      "`uploadedBytes` are stored: an interrupted upload resumes there. `bytes` and `sha256` are the declared values until the upload is finished, then the actual ones.",
    effect: "read",
    capability: "project:data:read",
    input: fileInput,
    reply: uploadReply,
  },
  async (ctx, { fileId }) => {
    const row = await readFile(ctx, fileId);
    const uploadedBytes = row.state === "uploading" ? await fileStore().offset(uploadKey(row)) : (row.bytes as number);
    return { file: fileJson(row), uploadedBytes };
  },
);

export const downloadFile = streamVerb(
  {
    name: "files.download",
    summary: "Download a file's content, or a range of it.",
    description:
      "Its media type is the one it was uploaded with. A `Range` header with one byte range gets a partial response (206). The ETag is the content's SHA-256.",
    effect: "read",
    capability: "project:data:read",
    input: fileInput,
    produces: { "*/*": { type: "string", format: "binary" } },
    ranges: true,
    limits: { seconds: CONTENT_SECONDS },
  },
  async (ctx, { fileId }, { range }) => {
    const { state, bytes, sha256, object, name, mediaType } = await readFile(ctx, fileId);
    if (state !== "stored" || bytes === null || object === null) {
      throw new ServiceError("conflict", "The upload of this file is not finished.");
    }
    const part = parseRange(range, bytes);
    const body = await fileStore()
      .read(objectKey(ctx.projectId, object), part)
      .catch((error) => {
        if (isMissing(error)) throw new Error(`The content of ${fileId} is missing from the store.`, { cause: error });
        throw error;
      });
    const headers = { "accept-ranges": "bytes", etag: `"${sha256}"` };
    if (!part) return { mediaType, fileName: name, body, headers: { ...headers, "content-length": String(bytes) } };
    return {
      status: 206,
      mediaType,
      fileName: name,
      body,
      headers: {
        ...headers,
        "content-length": String(part.end - part.start + 1),
        "content-range": `bytes ${part.start}-${part.end}/${bytes}`,
      },
    };
  },
);
