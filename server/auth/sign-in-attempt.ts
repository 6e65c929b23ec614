import type { ServiceError } from "@/server/platform/errors";
import type { SignedIn, Visitor } from "@/server/services/identity";

/** The parts of a sign-in request that next-auth does not pass to its callbacks. */
export type SignInAttempt = {
  visitor: Visitor;
  /** The path to continue at after the sign-in. */
  next: string;
  /** The token of the invitation that led here. */
  invitation: string | null;
  /** Why the attempt was refused: next-auth passes on an error word only, and no status. */
  refused?: ServiceError;
};

/** Converts a sign-in to the user object that next-auth passes between its callbacks. */
export const asUser = ({ userId, sessionId }: SignedIn) => ({ id: userId, sessionId });
