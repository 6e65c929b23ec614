import type { ServiceError } from "@/server/platform/errors";
import type { SignedIn, Visitor } from "@/server/services/identity";

/** A request of somebody who signs in, as far as next-auth's callbacks are not told. */
export type SignInAttempt = {
  visitor: Visitor;
  /** Where they go afterwards. */
  next: string;
  /** The token of the invitation with which they come. */
  invitation: string | null;
  /** Why they were not even asked: next-auth has a word for it only, and no status. */
  refused?: ServiceError;
};

/** Whoever is signed in, as next-auth's callbacks hand it on. */
export const asUser = ({ userId, sessionId }: SignedIn) => ({ id: userId, sessionId });
