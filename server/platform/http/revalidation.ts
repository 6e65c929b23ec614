// Answers that are the same for everybody: whoever has one asks whether it changed.
import { createHash } from "node:crypto";

/** Asking costs neither side anything, and an upgrade, whose files have other names, is seen at once. */
export const REVALIDATE = "public, no-cache";

/** Returns the tag of an answer with this body. */
export const etagOf = (body: Uint8Array) => `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;

/** Returns whether `If-None-Match` names the tag. A proxy that compresses an answer may have made it a weak one. */
export const matchesEtag = (ifNoneMatch: string | null | undefined, etag: string) =>
  (ifNoneMatch ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
