import { etagOf, matchesEtag, REVALIDATE } from "@/server/platform/http/revalidation";

/** Returns a handler that answers the JSON of `make`, which is made once in the life of the process. */
export function cachedJson(make: () => unknown) {
  let made: { bytes: Uint8Array<ArrayBuffer>; etag: string } | undefined;
  return (request: Request): Response => {
    if (!made) {
      const bytes = new TextEncoder().encode(JSON.stringify(make()));
      made = { bytes, etag: etagOf(bytes) };
    }
    const headers = { etag: made.etag, "cache-control": REVALIDATE };
    if (matchesEtag(request.headers.get("if-none-match"), made.etag))
      return new Response(null, { status: 304, headers });
    return new Response(made.bytes, { headers: { ...headers, "content-type": "application/json" } });
  };
}
