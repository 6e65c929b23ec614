import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { setupTokens, users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { HOUR_MS } from "@/server/platform/durations";
import { ServiceError } from "@/server/platform/errors";
import { createdProjectNote, createProject, startProject } from "@/server/services/projects";
import { createUser } from "./create-user";
import { hashOfToken, newToken } from "./one-time-link";
import { passwordsEnabled } from "./passwords-enabled";
import { type CompleteSetupInput, completeSetupInput } from "./schemas";

/** An arbitrary advisory lock key of our own: serializes the first run across processes that start together. */
const SETUP_LOCK = 7_231_004_118;
/** The link makes its holder an owner and may sit in a log for a long time, so it expires. */
const LINK_HOURS = 24;
const FIRST_PROJECT = "My project";

const lock = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${SETUP_LOCK}::bigint)`);

/** Returns whether this installation has no user yet. */
export async function setupNeeded(db: Db): Promise<boolean> {
  const [anyone] = await db.select({ id: users.id }).from(users).limit(1);
  return anyone === undefined;
}

/**
 * Creates the one-time token for the first run, to be printed as a link; returns `null` once a user exists. Valid for 24
 * hours. Unused tokens of earlier starts stop working.
 */
export const createSetupLink = (db: Db): Promise<{ token: string } | null> =>
  db.transaction(async (tx) => {
    await lock(tx);
    if (!(await setupNeeded(tx))) return null;
    const token = newToken();
    await tx.delete(setupTokens).where(isNull(setupTokens.usedAt));
    await tx.insert(setupTokens).values({ hash: hashOfToken(token) });
    await recordAudit(tx, { action: "setup.createLink", projectId: null, actor: { kind: "operator", id: null } });
    return { token };
  });

/**
 * Sets up a fresh installation with an owner, a first project and its default key, atomically. The key's secret is only
 * in this reply.
 */
export async function completeSetup(db: Db, input: CompleteSetupInput, request?: RequestInfo) {
  const { token, projectName, password, ...person } = completeSetupInput.parse(input);
  if (passwordsEnabled() && password === undefined) {
    const errors = [{ path: "/password", message: "Choose a password." }];
    throw new ServiceError("invalid", "The request is not valid.", { errors });
  }
  return db.transaction(async (tx) => {
    await lock(tx);
    const [used] = await tx
      .update(setupTokens)
      .set({ usedAt: NOW })
      .where(
        and(
          eq(setupTokens.hash, hashOfToken(token)),
          isNull(setupTokens.usedAt),
          gt(setupTokens.createdAt, sql`${NOW} - ${LINK_HOURS * HOUR_MS}::bigint`),
        ),
      )
      .returning({ hash: setupTokens.hash });
    if (!used || !(await setupNeeded(tx))) {
      throw new ServiceError(
        "forbidden",
        `This link has already been used, is older than ${LINK_HOURS} hours, or was replaced by a newer one. Create another on the server: npx whetstone setup-link`,
      );
    }
    const user = await createUser(tx, passwordsEnabled() ? { ...person, password } : person);
    const created = await createProject(tx, { name: projectName ?? FIRST_PROJECT, ownerUserId: user.id });
    const recorded = { actor: { kind: "user" as const, id: user.id }, request };
    await recordAudit(tx, {
      ...recorded,
      action: "setup.complete",
      projectId: null,
      target: { type: "user", id: user.id },
      after: { email: user.email, projectId: created.project.id },
    });
    await recordAudit(tx, { ...recorded, ...createdProjectNote(created), action: startProject.spec.name });
    return { user, ...created };
  });
}
