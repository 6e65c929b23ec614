import { ServiceError } from "@/server/platform/errors";
import { readBody } from "@/server/platform/http/read-body";
import { parseJsonWithTools } from "@/server/platform/json/exact-json";

/** Bytes. Larger bodies have streaming routes (ingest, imports). */
export const JSON_BODY_MAX = 1024 * 1024;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)"?/i;

function requireJson(headers: Headers) {
  const type = headers.get("content-type") ?? "";
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  if (!JSON_TYPE.test(type) || (charset !== undefined && charset !== "utf-8" && charset !== "utf8")) {
    throw new ServiceError("unsupported_media_type", "Send the body as application/json in UTF-8.");
  }
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", "Send the body without a content encoding.");
  }
}

/** Returns the JSON object in the body; an empty body is an empty object, so that an action needs none. */
export async function readJson(request: Request): Promise<Record<string, unknown>> {
  const bytes = await readBody(request, JSON_BODY_MAX);
  if (bytes.length === 0) return {};
  requireJson(request.headers);

  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceError("invalid", "The body is not valid UTF-8.");
  }
  let body: unknown;
  try {
    body = parseJsonWithTools(text);
  } catch {
    throw new ServiceError("invalid", "The body is not valid JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ServiceError("invalid", "The body must be a JSON object.");
  }
  return body as Record<string, unknown>;
}
