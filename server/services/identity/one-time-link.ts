import { createHash, randomBytes } from "node:crypto";
import { env } from "@/env";

/** 192 bits: a hash of it needs no salt, and nobody guesses one. */
export const newToken = () => randomBytes(24).toString("base64url");
export const hashOfToken = (token: string) => createHash("sha256").update(token).digest("hex");

/** A link of this installation as people reach it. What stands behind `#` is in no request, so no proxy logs it. */
export function linkTo(page: "invite" | "reset", token: string) {
  const { PUBLIC_URL, HOST, PORT } = env();
  return `${PUBLIC_URL?.replace(/\/+$/, "") ?? `http://${HOST}:${PORT}`}/${page}#token=${token}`;
}
