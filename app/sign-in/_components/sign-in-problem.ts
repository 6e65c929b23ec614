import type { Refusal } from "@/server/services/single-sign-on/schemas";

/** The messages for sign-in failures at the provider, by next-auth's codes and ours. */
const SENTENCES: Record<
  Refusal | "OAuthSignin" | "OAuthCallback" | "Callback" | "Unavailable",
  (at: string) => string
> = {
  domain: (at) => `Your address at ${at} is not of a domain that may come in here.`,
  unverified: (at) =>
    `${at} does not say that your e-mail address is really yours, so it opens no account here. Confirm the address there and try again.`,
  unknown: () =>
    "You have no account here and no invitation. Ask an owner of a project for one, or whoever runs this installation.",
  taken: (at) => `The account with your address belongs to somebody else at ${at}. Ask whoever runs this installation.`,
  disabled: () => "Your account is disabled. Ask an owner of this installation to enable it.",
  early: () => "Nobody has set Whetstone up yet. Open the link that was printed in the terminal when it started.",
  OAuthSignin: (at) => `${at} could not be reached. Try again in a moment.`,
  OAuthCallback: (at) => notCompleted(at),
  Callback: (at) => notCompleted(at),
  Unavailable: () => "You could not be signed in just now. Try again in a moment.",
};

const notCompleted = (at: string) =>
  `Signing in with ${at} was not completed. Try again; if it stays like this, tell whoever runs this installation.`;

/** Returns the message for the code in the page's address; `null` if nothing went wrong. */
export function signInProblem(error: string | undefined, provider: string): string | null {
  if (error === undefined) return null;
  if (!Object.hasOwn(SENTENCES, error)) return "You were not signed in. Try again.";
  return SENTENCES[error as keyof typeof SENTENCES](provider);
}
