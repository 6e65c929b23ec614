import { eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { accountAuditLog, auditLog, projects } from "@/db/schema";
import type { AccountCtx, Actor, AuditNote, Ctx, InstallationCtx, RequestInfo } from "./context";
import { transact } from "./database/transact";
import { newId } from "./ids";
import { hideCredentials } from "./logging/log";

const STRING_MAX = 500;
/** Longer than what is shown, so that truncation never cuts a credential in two before it is redacted. */
const SCANNED_MAX = 4 * STRING_MAX;
const ITEMS_MAX = 100;
const DEPTH_MAX = 6;
const HIDDEN = "***";

/** Names of fields whose text is a credential. Counts such as `inputTokens` are not. */
const SECRET_NAME =
  /password|secret|authorization|cookie|credential|passphrase|token$|api_?key$|(private|signing|event|encryption)_?key$/i;
/** Our own API keys, anywhere in a text. */
const OUR_KEY = /whet_[0-9a-f]{32}_[0-9A-Za-z]+/g;

const shownText = (text: string) => {
  const safe = hideCredentials(text.slice(0, SCANNED_MAX))
    .replace(OUR_KEY, `whet_${HIDDEN}`)
    .replaceAll("\u0000", "")
    .toWellFormed();
  return safe.length > STRING_MAX ? `${Array.from(safe.slice(0, STRING_MAX)).slice(0, -1).join("")}…` : safe;
};

/** Returns a value as the audit log may store it: bounded in size, and without secrets recognized by field name or by shape. */
export function auditable(value: unknown, name = "", depth = 0): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? HIDDEN : shownText(value);
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value;
  if (depth === DEPTH_MAX) return "…";
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => auditable(item, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && typeof item !== "function")
      .slice(0, ITEMS_MAX)
      .map(([key, item]) => [shownText(key), auditable(item, key, depth + 1)]),
  );
}

const fields = (value: Record<string, unknown> | null | undefined) =>
  value == null ? null : (auditable(value) as Record<string, unknown>);

export type AuditEntry = Pick<AuditNote, "target" | "before" | "after"> & {
  /** Deduplicates: recorded twice with the same id, it stays one row. */
  id?: string;
  action: string;
  /** Whose log: a project's, or (`null`) the account of `userId`. */
  projectId: string | null;
  /** The account that it concerns, where that is not the actor's. */
  userId?: string | null;
  /** A visitor is an unauthenticated caller who was refused. */
  actor: { kind: Actor["kind"] | "visitor"; id: string | null; sessionId?: string | undefined };
  request?: RequestInfo | undefined;
  survivesProject?: boolean | undefined;
  nothing?: true | undefined;
};

const doorOf = ({ actor, request }: AuditEntry): (typeof auditLog.$inferInsert)["door"] =>
  request?.door ?? (actor.kind === "job" ? "job" : actor.kind === "operator" ? "cli" : null);

/**
 * Writes one row in the transaction of the change that it records, so that both exist or neither. If the change deleted the
 * project, and its log with it, the row goes to the account's log. Writes none if there was nothing to do.
 */
export async function recordAudit(db: Db, entry: AuditEntry): Promise<void> {
  if (entry.nothing) return;
  const { actor, target, request } = entry;
  const row = {
    id: entry.id ?? newId("aud"),
    action: entry.action,
    actorKind: actor.kind,
    actorId: actor.id,
    sessionId: actor.sessionId ?? null,
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    before: fields(entry.before),
    after: fields(entry.after),
    door: doorOf(entry),
    requestId: request?.requestId ?? null,
    address: request?.address ?? null,
  };
  const { projectId } = entry;
  if (projectId !== null) {
    const [project] = await db.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId));
    if (project) {
      await db
        .insert(auditLog)
        .values({ ...row, projectId })
        .onConflictDoNothing();
      if (!entry.survivesProject) return;
    }
  }
  await db
    .insert(accountAuditLog)
    .values({
      ...row,
      userId: entry.userId ?? (actor.kind === "user" ? actor.id : null),
      ...(projectId !== null && !target ? { targetType: "project", targetId: projectId } : {}),
    })
    .onConflictDoNothing();
}

export const auditActor = (actor: Actor): AuditEntry["actor"] => {
  switch (actor.kind) {
    case "user":
      return { kind: "user", id: actor.userId, sessionId: actor.sessionId };
    case "apiKey":
      return { kind: "apiKey", id: actor.keyId };
    case "job":
      return { kind: "job", id: actor.name };
    case "operator":
      return { kind: "operator", id: null };
  }
};

/** Adds details to the audit row of the running write: its target, before and after. Later notes override earlier ones. */
export const auditNote = (ctx: Pick<Ctx, "notes">, note: AuditNote) => void ctx.notes?.push(note);

/** Returns the target named by the input's first id: `findingId: "fnd_1"` → a finding. Without one, `whole`. */
function targetOf(input: unknown, whole: AuditNote["target"]): AuditNote["target"] {
  if (typeof input !== "object" || input === null) return whole;
  for (const [key, value] of Object.entries(input)) {
    if (typeof value === "string" && key.endsWith("Id")) return { type: key.slice(0, -2), id: value };
  }
  return whole;
}

function entryOf(action: string, input: unknown, notes: readonly AuditNote[], whole: AuditNote["target"]) {
  const note: AuditNote = Object.assign({}, ...notes);
  return {
    action,
    target: note.target === undefined ? targetOf(input, whole) : (note.target ?? whole),
    before: note.before ?? null,
    after: note.after === undefined ? (input as Record<string, unknown>) : note.after,
    projectId: note.projectId ?? null,
    survivesProject: note.survivesProject,
    nothing: note.nothing,
  };
}

/** Runs a project's write and records its audit row in one transaction. */
export const auditedWrite = <T>(ctx: Ctx, action: string, input: unknown, run: (ctx: Ctx) => Promise<T>) =>
  transact(ctx.db, async (tx) => {
    const notes: AuditNote[] = [];
    const result = await run({ ...ctx, db: tx, notes });
    await recordAudit(tx, {
      ...entryOf(action, input, notes, { type: "project", id: ctx.projectId }),
      projectId: ctx.projectId,
      actor: auditActor(ctx.actor),
      request: ctx.request,
    });
    return result;
  });

/** As `auditedWrite`, for a person's write outside any project. */
export const auditedAccountWrite = <T>(
  ctx: AccountCtx,
  action: string,
  input: unknown,
  run: (ctx: AccountCtx) => Promise<T>,
) =>
  transact(ctx.db, async (tx) => {
    const notes: AuditNote[] = [];
    const result = await run({ ...ctx, db: tx, notes });
    await recordAudit(tx, {
      ...entryOf(action, input, notes, { type: "user", id: ctx.userId }),
      actor: { kind: "user", id: ctx.userId, sessionId: ctx.sessionId },
      request: ctx.request,
    });
    return result;
  });

/** As `auditedWrite`, for a write on the installation. It is recorded in the log of the person whom it concerns. */
export const auditedInstallationWrite = <T>(
  ctx: InstallationCtx,
  action: string,
  input: unknown,
  run: (ctx: InstallationCtx) => Promise<T>,
) =>
  transact(ctx.db, async (tx) => {
    const notes: AuditNote[] = [];
    const result = await run({ ...ctx, db: tx, notes });
    const entry = entryOf(action, input, notes, null);
    await recordAudit(tx, {
      ...entry,
      userId: entry.target?.type === "user" ? entry.target.id : null,
      actor:
        "operator" in ctx ? { kind: "operator", id: null } : { kind: "user", id: ctx.userId, sessionId: ctx.sessionId },
      request: ctx.request,
    });
    return result;
  });
