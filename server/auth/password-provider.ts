import CredentialsProvider from "next-auth/providers/credentials";
import { db } from "@/db/pool";
import { knownError } from "@/server/platform/logging/known-error";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { signInWithPassword, type Visitor } from "@/server/services/identity";
import { asUser, type SignInAttempt } from "./sign-in-attempt";

/** The `error` of `signIn()` when too many attempts were made; for a wrong password it is `CredentialsSignin`. */
const RATE_LIMITED = "RateLimited";
/** The `error` for transient failures. */
const UNAVAILABLE = "Unavailable";
/** The `error` when the credentials are right but an owner has disabled the account. */
const DISABLED = "Disabled";

async function authorizeByPassword(given: Record<"email" | "password", string> | undefined, visitor: Visitor) {
  if (typeof given?.email !== "string" || typeof given.password !== "string") return null;
  const signedIn = await signInWithPassword(db(), { email: given.email, password: given.password, visitor });
  return signedIn && asUser(signedIn);
}

/** Returns next-auth's credentials provider for e-mail and password. */
export const passwordProvider = (attempt: SignInAttempt) =>
  CredentialsProvider({
    name: "E-mail and password",
    credentials: { email: { label: "E-mail", type: "email" }, password: { label: "Password", type: "password" } },
    async authorize(given) {
      try {
        return await authorizeByPassword(given, attempt.visitor);
      } catch (error) {
        const known = knownError(error);
        if (known) attempt.refused = known;
        if (known?.code === "rate_limited") throw new Error(RATE_LIMITED);
        if (known?.code === "unavailable") throw new Error(UNAVAILABLE);
        if (known?.code === "forbidden") throw new Error(DISABLED);
        logger("auth").error({ err: loggable(error) }, "A sign-in failed.");
        throw new Error(UNAVAILABLE);
      }
    },
  });
