// Responses that are the same for every caller and are revalidated by ETag.
import { createHash } from "node:crypto";

/** Revalidation is cheap, and an upgrade, whose assets have new names, takes effect immediately. */
export const REVALIDATE = "public, no-cache";

/** Returns the ETag of a response with this body. */
export const etagOf = (body: Uint8Array) => `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;

/** Returns whether `If-None-Match` names the tag. Compressing proxies may have made it a weak one. */
export const matchesEtag = (ifNoneMatch: string | null | undefined, etag: string) =>
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
