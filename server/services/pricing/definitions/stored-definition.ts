import { and, eq, isNull, max, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { modelPriceDefinitions, projects } from "@/db/schema";
import { env } from "@/env";
import { auditNote } from "@/server/platform/audit";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { PRICE_PROVIDERS, type PriceDefinition, type PriceProvider } from "../schemas";
import { type DefinitionInput, storedFields } from "./definition-input";

/** Per project; far above any plausible number of models. */
export const DEFINITIONS_MAX = 10_000;

export type StoredDefinition = typeof modelPriceDefinitions.$inferSelect;

const isPriceProvider = (text: string): text is PriceProvider => (PRICE_PROVIDERS as readonly string[]).includes(text);

type DefinitionColumns = Pick<
  StoredDefinition,
  "id" | "baseModelPriceId" | "provider" | "modelName" | "matchPattern" | "pricingTiers"
>;

/** Converts a row to its JSON form. An override has the id of the default that it replaces. */
export const definitionOf = (row: DefinitionColumns): PriceDefinition => ({
  id: row.baseModelPriceId ?? row.id,
  provider: isPriceProvider(row.provider) ? row.provider : "external",
  modelName: row.modelName,
  matchPattern: row.matchPattern,
  pricingTiers: row.pricingTiers,
  source: row.baseModelPriceId ? "project_override" : "project_custom",
  editable: true,
  resettable: row.baseModelPriceId !== null,
});

/** Throws when the operator has made prices read-only (`PRICING_WRITES=off`). */
export function requirePricingWrites() {
  if (env().PRICING_WRITES === "off") {
    throw new ServiceError("not_implemented", "Prices are read-only in this installation (PRICING_WRITES=off).");
  }
}

/**
 * Starts a price change: increments the project's pricing version, so that every process prices the next call with the
 * result. The row lock serialises changes within a project.
 */
export async function bumpPricingVersion({ db, projectId }: Ctx): Promise<void> {
  requirePricingWrites();
  await db
    .update(projects)
    .set({ pricingVersion: sql`${projects.pricingVersion} + 1` })
    .where(eq(projects.id, projectId));
}

/** The revision of the current change; `bumpPricingVersion` has locked the row. */
const thisRevision = ({ projectId }: Ctx) =>
  sql<number>`(select ${projects.pricingVersion} from ${projects} where ${projects.id} = ${projectId})`;

const inForce = ({ db, projectId }: Ctx, condition: SQL | undefined) =>
  db
    .select()
    .from(modelPriceDefinitions)
    .where(and(eq(modelPriceDefinitions.projectId, projectId), isNull(modelPriceDefinitions.supersededAt), condition));

export const definitionById = async (ctx: Ctx, id: string) => (await inForce(ctx, eq(modelPriceDefinitions.id, id)))[0];

export const definitionByName = async (ctx: Ctx, { provider, modelName }: DefinitionInput) =>
  (
    await inForce(
      ctx,
      and(eq(modelPriceDefinitions.provider, provider), eq(modelPriceDefinitions.modelName, modelName)),
    )
  )[0];

/** Marks a version as superseded. The row remains, because stored costs refer to it. */
export const supersede = (ctx: Ctx, { id, version }: StoredDefinition) =>
  ctx.db
    .update(modelPriceDefinitions)
    .set({ supersededAt: NOW, supersededBy: idOfActor(ctx.actor), untilRevision: thisRevision(ctx) })
    .where(
      and(
        eq(modelPriceDefinitions.projectId, ctx.projectId),
        eq(modelPriceDefinitions.id, id),
        eq(modelPriceDefinitions.version, version),
      ),
    );

async function nextVersion({ db, projectId }: Ctx, id: string) {
  const [row] = await db
    .select({ last: max(modelPriceDefinitions.version) })
    .from(modelPriceDefinitions)
    .where(and(eq(modelPriceDefinitions.projectId, projectId), eq(modelPriceDefinitions.id, id)));
  return (row?.last ?? 0) + 1;
}

async function requireRoom({ db, projectId }: Ctx) {
  const count = await db.$count(
    modelPriceDefinitions,
    and(eq(modelPriceDefinitions.projectId, projectId), isNull(modelPriceDefinitions.supersededAt)),
  );
  if (count >= DEFINITIONS_MAX) {
    throw new ServiceError("conflict", `A project can have at most ${DEFINITIONS_MAX.toLocaleString("en")} prices.`);
  }
}

/**
 * Puts a definition in force and supersedes those that it replaces at the same moment. `id` is the definition of which it
 * becomes the next version; without it the definition is new.
 */
export async function putInForce(
  ctx: Ctx,
  { baseModelPriceId, ...input }: DefinitionInput,
  { id = newId("mp"), replaces = [] }: { id?: string | undefined; replaces?: readonly StoredDefinition[] },
): Promise<PriceDefinition> {
  if (replaces.length === 0) await requireRoom(ctx);
  for (const old of replaces) await supersede(ctx, old);
  const [row] = await ctx.db
    .insert(modelPriceDefinitions)
    .values({
      projectId: ctx.projectId,
      id,
      version: await nextVersion(ctx, id),
      baseModelPriceId: baseModelPriceId ?? null,
      ...storedFields(input),
      effectiveFrom: NOW,
      sinceRevision: thisRevision(ctx),
      createdBy: idOfActor(ctx.actor),
    })
    .returning();
  if (!row) throw new Error("The insert of a price definition returned no row.");
  const definition = definitionOf(row);
  const before = replaces.find((old) => old.id === id) ?? replaces[0];
  auditNote(ctx, {
    target: { type: "modelPrice", id: definition.id },
    before: before ? { version: before.version, ...definitionOf(before) } : null,
    after: { version: row.version, ...definition },
  });
  return definition;
}

/** Removes a definition from force, which leaves the default, if there is one. */
export async function removeDefinition(ctx: Ctx, row: StoredDefinition): Promise<{ ok: true }> {
  await supersede(ctx, row);
  auditNote(ctx, {
    target: { type: "modelPrice", id: row.id },
    before: { version: row.version, ...definitionOf(row) },
    after: null,
  });
  return { ok: true };
}
