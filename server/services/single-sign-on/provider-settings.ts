import { type Env, env } from "@/env";

/** Configuration of sign-in through an OpenID Connect provider. */
export type ProviderSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Its name on the sign-in page. */
  name: string;
  /** E-mail domains that may sign in, in lower case; `null`: any verified address. */
  allowedDomains: readonly string[] | null;
  /** Role and projects for a person without an account; `null`: they need an invitation. */
  newcomers: { role: NonNullable<Env["OIDC_DEFAULT_ROLE"]>; projects: readonly string[] | "*" } | null;
};

/** Returns the provider's configuration; `null` when there is none. */
export function providerSettings(): ProviderSettings | null {
  const given = env();
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = given;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  const { OIDC_DEFAULT_ROLE: role, OIDC_DEFAULT_PROJECTS: projects } = given;
  return {
    issuer,
    clientId,
    clientSecret,
    name: given.OIDC_NAME,
    allowedDomains: given.OIDC_ALLOWED_DOMAINS ?? null,
    newcomers: role === undefined || projects === undefined ? null : { role, projects },
  };
}
