import CredentialsProvider from "next-auth/providers/credentials";
import { db } from "@/db/pool";
import { ServiceError } from "@/server/platform/errors";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { signInWithPassword, type Visitor } from "@/server/services/identity";
import { asUser } from "./coming";

/** What `signIn()` gives as `error` when the limit on attempts stops it; a wrong password is `CredentialsSignin`. */
export const RATE_LIMITED = "RateLimited";

async function byPassword(given: Record<"email" | "password", string> | undefined, visitor: Visitor) {
  if (typeof given?.email !== "string" || typeof given.password !== "string") return null;
  const signedIn = await signInWithPassword(db(), { email: given.email, password: given.password, visitor });
  return signedIn && asUser(signedIn);
}

/** next-auth's words for e-mail and password. */
export const passwordProvider = (visitor: Visitor) =>
  CredentialsProvider({
    name: "E-mail and password",
    credentials: { email: { label: "E-mail", type: "email" }, password: { label: "Password", type: "password" } },
    async authorize(given) {
      try {
        return await byPassword(given, visitor);
      } catch (error) {
        if (error instanceof ServiceError && error.code === "rate_limited") throw new Error(RATE_LIMITED);
        logger("auth").error({ err: loggable(error) }, "A sign-in failed.");
        throw new Error("Unavailable");
      }
    },
  });
