import { createHmac } from "node:crypto";
import { derivedSecret } from "@/server/platform/secrets";

/** Returns a keyed hash that tables may store in place of the value. */
export const keyedHash = (value: string) =>
  createHmac("sha256", derivedSecret("sign-in")).update(value).digest("base64url").slice(0, 22);
