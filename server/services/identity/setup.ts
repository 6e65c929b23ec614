import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { setupTokens, users } from "@/db/schema";
import { recordAudit } from "@/server/platform/audit";
import type { RequestInfo } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { createdProjectNote, createProject, startProject } from "@/server/services/projects";
import { createUser } from "./create-user";
import { hashOfToken, newToken } from "./one-time-link";
import { passwordsEnabled } from "./passwords-enabled";
import { type CompleteSetupInput, completeSetupInput } from "./schemas";

/** Any number, as long as nothing else takes it: the first run happens one at a time, whatever starts together. */
const SETUP_LOCK = 7_231_004_118;
/** It makes an owner of whoever opens it, and may stand in a log for as long as that is kept. */
const LINK_HOURS = 24;
const HOUR_MS = 3_600_000;
const FIRST_PROJECT = "My project";

const lock = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(${SETUP_LOCK}::bigint)`);

/** Whether this installation still waits for its first person. */
export async function setupNeeded(db: Db): Promise<boolean> {
  const [anyone] = await db.select({ id: users.id }).from(users).limit(1);
  return anyone === undefined;
}

/**
 * A new one-time token for the first run, to be printed as a link; `null` once somebody exists. It works for 24 hours. Tokens from earlier
 * starts that nobody used stop working.
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
 * Turns a fresh installation into one with an owner, a first project and its default key: all of it or nothing. The key's
 * secret is in this answer only.
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
        `This link was used already, is older than ${LINK_HOURS} hours, or was replaced by a newer one. Make another on the server: npm run -s cli -- setup-link`,
      );
    }
    const user = await createUser(tx, passwordsEnabled() ? { ...person, password } : person);
    const created = await createProject(tx, { name: projectName ?? FIRST_PROJECT, ownerUserId: user.id });
    const told = { actor: { kind: "user" as const, id: user.id }, request };
    await recordAudit(tx, {
      ...told,
      action: "setup.complete",
      projectId: null,
      target: { type: "user", id: user.id },
      after: { email: user.email, projectId: created.project.id },
    });
    await recordAudit(tx, { ...told, ...createdProjectNote(created), action: startProject.spec.name });
    return { user, ...created };
  });
}
