import type { Refusal } from "./schemas";

/** The reason in the account's audit log; the sign-in page explains it to the person. */
const WHY: Record<Refusal, string> = {
  domain: "addresses of this domain are not allowed",
  unverified: "the provider has not verified the address",
  unknown: "there is no account or invitation for this address",
  early: "this installation has not been set up yet",
  disabled: "the account is disabled",
  taken: "the account belongs to another person at the provider",
};

/** Thrown when the provider has authenticated a person who may not sign in here. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
  constructor(
    readonly refusal: Refusal,
    /** The account's id, when it is known by a linked identity rather than by the address. */
    readonly userId?: string,
  ) {
    super(WHY[refusal]);
  }
}
