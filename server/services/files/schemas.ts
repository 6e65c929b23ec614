import { z } from "zod";
import { FILE_KINDS, FILE_STATES } from "@/db/schema/enumerations";
import { idInput, pageInput, pagination, queryInteger } from "@/server/platform/schemas";

const GIB = 1024 ** 3;
/** Also the largest object that S3 copies in one request. */
export const FILE_BYTES_MAX = 5 * GIB;
/** Concurrent requests of one project that write files. */
export const WRITERS_MAX = 8;
/** Unfinished uploads of one project. */
export const UPLOADS_MAX = 100;

const name = z
  .string()
  .trim()
  .min(1)
  .max(255)
  // Spelled out, because few tools can generate from a JSON Schema pattern with a Unicode class.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused.
  .regex(/^[^\u0000-\u001f\u007f-\u009f/\\]+$/, "A name without a path and without control characters.");
const mediaType = z
  .string()
  .max(127)
  .regex(/^[\w.+-]+\/[\w.+-]+$/, "A media type such as text/csv.");
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits in lower case.")
  .meta({ examples: ["e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"] });
const metadata = { name, mediaType: mediaType.default("application/octet-stream"), sha256: sha256.optional() };

/** `bytes` and `sha256` are the declared values until the upload is finished, then the actual ones. Times are Unix ms. */
export const file = z.object({
  id: z.string(),
  kind: z.enum(FILE_KINDS),
  state: z.enum(FILE_STATES),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.int().nullable(),
  sha256: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export const fileReply = z.object({ file });
/** `uploadedBytes` are stored: an interrupted upload resumes there. */
export const uploadedReply = z.object({ uploadedBytes: z.int() });
export const uploadReply = z.object({ file, uploadedBytes: z.int() });
export const filesReply = z.object({ files: z.array(file), pagination });

export const uploadFileInput = z.strictObject(metadata);
export const beginUploadInput = z.strictObject({ ...metadata, bytes: z.int().min(0).max(FILE_BYTES_MAX) });
export const continueUploadInput = z.strictObject({ fileId: idInput, offset: queryInteger(0, FILE_BYTES_MAX) });
export const fileInput = z.strictObject({ fileId: idInput });
export const listFilesInput = z.strictObject(pageInput);
