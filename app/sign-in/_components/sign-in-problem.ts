import type { Refusal } from "@/server/services/single-sign-on/schemas";

/** The messages for sign-in failures at the provider, by next-auth's codes and ours. */
const SENTENCES: Record<
  Refusal | "OAuthSignin" | "OAuthCallback" | "Callback" | "Unavailable",
  (at: string) => string
> = {
  domain: (at) => `Your address at ${at} is not in a domain that can sign in here.`,
  unverified: (at) =>
    `${at} has not verified your e-mail address, so you can’t sign in with it here. Verify the address there and try again.`,
  unknown: () =>
    "You have no account here and no invitation. Ask an owner of a project or the operator of this installation for one.",
  taken: (at) =>
    `The account with your address belongs to someone else at ${at}. Ask the operator of this installation.`,
  disabled: () => "Your account is disabled. Ask an owner of this installation to enable it.",
  early: () => "Nobody has set Whetstone up yet. Open the link that was printed in the terminal when it started.",
  OAuthSignin: (at) => `${at} could not be reached. Try again in a moment.`,
  OAuthCallback: (at) => notCompleted(at),
  Callback: (at) => notCompleted(at),
  Unavailable: () => "Signing in failed. Try again in a moment.",
};

const notCompleted = (at: string) =>
  `Signing in with ${at} was not completed. Try again. If the problem persists, contact the operator of this installation.`;

/** Returns the message for the code in the page's URL; `null` if nothing went wrong. */
export function signInProblem(error: string | undefined, provider: string): string | null {
  if (error === undefined) return null;
  if (!Object.hasOwn(SENTENCES, error)) return "You were not signed in. Try again.";
  return SENTENCES[error as keyof typeof SENTENCES](provider);
}
