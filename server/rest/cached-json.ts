import { createHash } from "node:crypto";

/** Whoever has it asks whether it changed, which costs neither side anything; an upgrade is seen at once. */
const REVALIDATED = "public, no-cache";

/** A proxy that compresses an answer may have made its tag a weak one. */
const names = (ifNoneMatch: string | null, etag: string) =>
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);

/** Returns a handler that answers the JSON of `make`, which is made once in the life of the process. */
export function cachedJson(make: () => unknown) {
  let made: { bytes: Uint8Array<ArrayBuffer>; etag: string } | undefined;
  return (request: Request): Response => {
    if (!made) {
      const bytes = new TextEncoder().encode(JSON.stringify(make()));
      made = { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"` };
    }
    const headers = { etag: made.etag, "cache-control": REVALIDATED };
    if (names(request.headers.get("if-none-match"), made.etag)) return new Response(null, { status: 304, headers });
    return new Response(made.bytes, { headers: { ...headers, "content-type": "application/json" } });
  };
}
