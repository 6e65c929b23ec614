import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { identities } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import {
  createUser,
  discardUnverifiedPassword,
  findUserByEmail,
  isDisabled,
  openSession,
  recordRefusedSignIn,
  type SignedIn,
  setupNeeded,
  type Visitor,
} from "@/server/services/identity";
import { invitationFor, joinDefaultProjects } from "@/server/services/members";
import { type Claims, type ProviderPerson, personIn } from "./claims";
import { type ProviderSettings, providerSettings } from "./provider-settings";
import { SignInRefused } from "./refusals";

type SignInAttempt = {
  claims: Claims;
  /** The token of the invitation that led here. */
  invitation: string | null;
  visitor: Visitor;
};

/**
 * Signs in a person authenticated by the provider: with the account linked to that identity, else the account with the
 * verified address, else a new account if there is an invitation or a default role. Throws `SignInRefused` otherwise.
 */
export async function signInByProvider(db: Db, { claims, invitation, visitor }: SignInAttempt): Promise<SignedIn> {
  const settings = providerSettings();
  if (!settings) throw new Error("No provider is configured.");
  const person = personIn(claims);
  try {
    return await db.transaction(async (tx) => {
      // Serializes concurrent sign-ins of the same identity.
      await tx.execute(
        sql`select pg_advisory_xact_lock(hashtextextended(${`identity ${person.issuer} ${person.subject}`}, 0))`,
      );
      const userId = await resolveAccount({ tx, settings, person, invitation, visitor });
      if (await isDisabled(tx, userId)) throw new SignInRefused("disabled", userId);
      return openSession(tx, { userId, authMethod: "single-sign-on", by: settings.name, visitor });
    });
  } catch (error) {
    if (error instanceof SignInRefused) {
      const account = error.userId === undefined ? { email: person.email ?? "" } : { userId: error.userId };
      recordRefusedSignIn(db, { account, by: settings.name, why: error.message, visitor });
    }
    throw error;
  }
}

type Entry = {
  tx: Db;
  settings: ProviderSettings;
  person: ProviderPerson;
  invitation: string | null;
  visitor: Visitor;
};

async function resolveAccount(entry: Entry): Promise<string> {
  const { tx, person } = entry;
  const known = and(eq(identities.issuer, person.issuer), eq(identities.subject, person.subject));
  const [linked] = await tx.select({ userId: identities.userId }).from(identities).where(known);
  if (linked) {
    requireDomain(entry, linked.userId);
    await tx.update(identities).set({ email: person.email, lastUsedAt: NOW }).where(known);
    return linked.userId;
  }
  if (person.email === null || !person.emailVerified) throw new SignInRefused("unverified");
  requireDomain(entry);
  const account = await findUserByEmail(tx, person.email);
  return account ? linkAccount(entry, account.id) : createNewcomer(entry, person.email);
}

/** Checks the domain on each sign-in, so that a person who has left the domain is refused. */
function requireDomain({ settings, person }: Entry, userId?: string) {
  if (settings.allowedDomains === null) return;
  if (person.email === null || !person.emailVerified) throw new SignInRefused("unverified", userId);
  const domain = person.email.slice(person.email.lastIndexOf("@") + 1).toLowerCase();
  if (!settings.allowedDomains.includes(domain)) throw new SignInRefused("domain", userId);
}

/** Links the identity to the account permanently, whatever address either has later. */
async function linkAccount({ tx, settings, person, visitor }: Entry, userId: string) {
  // Providers reassign addresses of people who left: a second identity of the same provider is another person.
  const [other] = await tx
    .select({ subject: identities.subject })
    .from(identities)
    .where(and(eq(identities.userId, userId), eq(identities.issuer, person.issuer)));
  if (other) throw new SignInRefused("taken", userId);
  const forgotten = await discardUnverifiedPassword(tx, userId);
  await link(tx, person, userId);
  await recordAudit(tx, {
    action: "account.linkProvider",
    projectId: null,
    actor: { kind: "user", id: userId },
    target: { type: "user", id: userId },
    after: { by: settings.name, ...(forgotten ?? {}) },
    request: visitor.request,
  });
  return userId;
}

/** Creates an account and adds it to the default projects. */
async function createNewcomer({ tx, settings, person, invitation, visitor }: Entry, email: string) {
  // The first account must come from the printed setup link, which any other account would invalidate.
  if (await setupNeeded(tx)) throw new SignInRefused("early");
  const invited = await invitationFor(tx, { token: invitation, email });
  if (!invited && !settings.newcomers) throw new SignInRefused("unknown");
  const user = await createUser(tx, { email, ...(person.name === null ? {} : { name: person.name }) });
  await link(tx, person, user.id);
  await recordAudit(tx, {
    action: "account.create",
    projectId: null,
    actor: { kind: "user", id: user.id },
    target: { type: "user", id: user.id },
    after: { email, by: settings.name },
    request: visitor.request,
  });
  if (settings.newcomers) {
    // In the project of the invitation, the invitation's role applies.
    const joining = { ...settings.newcomers, userId: user.id, except: invited?.projectId ?? null };
    await joinDefaultProjects(tx, joining, visitor.request);
  }
  return user.id;
}

const link = (tx: Db, { issuer, subject, email }: ProviderPerson, userId: string) =>
  tx.insert(identities).values({ issuer, subject, userId, email, lastUsedAt: NOW });
