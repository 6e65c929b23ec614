import type { Refusal } from "./schemas";

/** What the log of an account is told; a person reads more, on the sign-in page. */
const WHY: Record<Refusal, string> = {
  domain: "addresses of this domain are not let in",
  unverified: "the provider has not verified the address",
  unknown: "nobody has an account or an invitation for this address",
  early: "nobody has set this installation up yet",
  disabled: "the account is disabled",
  taken: "the account belongs to another person at the provider",
};

/** The provider has said who somebody is, and they are not let in all the same. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
  constructor(
    readonly refusal: Refusal,
    /** Whose account was asked for, when that is known by other than the address. */
    readonly userId?: string,
  ) {
    super(WHY[refusal]);
  }
}
