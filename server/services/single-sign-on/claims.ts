import { z } from "zod";
import { email } from "@/server/services/identity/schemas";

/** A provider's claims about a person, from an ID token or its userinfo endpoint. */
export type Claims = Record<string, unknown>;

/** Text that Postgres can store: without NUL and lone surrogates. */
const text = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes("\u0000"));

const person = z.object({
  iss: text(500),
  sub: text(255),
  email: email.pipe(text(254)).nullish().catch(null),
  email_verified: z.boolean().nullish().catch(null),
  name: text(120).nullish().catch(null),
});

/** A person at a provider. The address counts as theirs only if the provider has verified it. */
export type ProviderPerson = {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  name: string | null;
};

export function personIn(claims: Claims): ProviderPerson {
  const { iss, sub, email, email_verified, name } = person.parse(claims);
  return {
    issuer: iss,
    subject: sub,
    email: email ?? null,
    emailVerified: email_verified === true,
    name: name ?? null,
  };
}

/**
 * Returns the claims of an ID token, with address and name from userinfo if the token has no verified address: providers
 * need not include it. The address and `email_verified` always come from the same source.
 */
export async function verifiedClaims(idToken: Claims, userinfo: () => Promise<Claims>): Promise<Claims> {
  if (idToken.email_verified === true) return idToken;
  const { email, email_verified, name } = await userinfo();
  return email === undefined ? idToken : { ...idToken, email, email_verified, name: idToken.name ?? name };
}
