import { z } from "zod";
import { email } from "@/server/services/identity/schemas";

/** What a provider says of somebody: of an ID token, or of its userinfo endpoint. */
export type Claims = Record<string, unknown>;

/** Text that can be stored: no NUL, no half of a surrogate pair. */
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

/** Somebody at a provider. The address is theirs only when the provider has verified it. */
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
 * The claims of an ID token, with address and name from userinfo where the token itself does not vouch for an address: a
 * provider need not put them in it. An address and whether it is verified are always taken from the same place.
 */
export async function verifiedClaims(idToken: Claims, userinfo: () => Promise<Claims>): Promise<Claims> {
  if (idToken.email_verified === true) return idToken;
  const { email, email_verified, name } = await userinfo();
  return email === undefined ? idToken : { ...idToken, email, email_verified, name: idToken.name ?? name };
}
