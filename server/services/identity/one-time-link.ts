import { createHash, randomBytes } from "node:crypto";
import { env } from "@/env";

/** Returns a token of 192 random bits: too many to guess, and its hash needs no salt. */
export const newToken = () => randomBytes(24).toString("base64url");
export const hashOfToken = (token: string) => createHash("sha256").update(token).digest("hex");

/** Returns a public link that carries the token in its fragment, which is never sent in a request, so no proxy logs it. */
export function linkTo(page: "invite" | "reset", token: string) {
  const { PUBLIC_URL, HOST, PORT } = env();
  return `${PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${HOST}:${PORT}`}/${page}#token=${token}`;
}
