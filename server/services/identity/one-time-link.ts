import { createHash, randomBytes } from "node:crypto";
import { publicUrl } from "@/server/platform/public-url";

/** Returns a token of 192 random bits: too many to guess, and its hash needs no salt. */
export const newToken = () => randomBytes(24).toString("base64url");
export const hashOfToken = (token: string) => createHash("sha256").update(token).digest("hex");

/** Returns a public link with the token in its fragment, which is never sent in a request, so no proxy logs it. */
export const linkTo = (page: "invite" | "reset", token: string) => publicUrl(`${page}#token=${token}`);
