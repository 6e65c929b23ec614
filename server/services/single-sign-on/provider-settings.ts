import { type Env, env } from "@/env";

/** How people sign in through an OpenID Connect provider here. */
export type ProviderSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people call it. */
  name: string;
  /** Whose addresses may come in, in lower case; `null`: any that the provider has verified. */
  allowedDomains: readonly string[] | null;
  /** What somebody without an account becomes, and where; `null`: they need an invitation. */
  newcomers: { role: NonNullable<Env["OIDC_DEFAULT_ROLE"]>; projects: readonly string[] | "*" } | null;
};

/** `null` where no provider is configured. */
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
