import { etagOf, matchesEtag, REVALIDATE } from "@/server/platform/http/revalidation";

/** Returns a handler that responds with the JSON of `make`, computed once per process. */
export function cachedJson(make: () => unknown) {
  let cached: { bytes: Uint8Array<ArrayBuffer>; etag: string } | undefined;
  return (request: Request): Response => {
    if (!cached) {
      const bytes = new TextEncoder().encode(JSON.stringify(make()));
      cached = { bytes, etag: etagOf(bytes) };
    }
    const headers = { etag: cached.etag, "cache-control": REVALIDATE };
    if (matchesEtag(request.headers.get("if-none-match"), cached.etag))
      return new Response(null, { status: 304, headers });
    return new Response(cached.bytes, { headers: { ...headers, "content-type": "application/json" } });
  };
}
