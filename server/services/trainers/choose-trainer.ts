import type { Ctx } from "@/server/platform/context";
import { type FieldError, ServiceError } from "@/server/platform/errors";
import { CALLED_BEFORE, NO_TRAINER } from "./agents/attachment";
import { type Capabilities, readCapabilities } from "./capabilities";
import { ONLY_RECORDED, RECORDED_TRAINER } from "./recorded/recorded-trainer";
import { attachedTrainers, isOnline, type TrainerRow } from "./trainer-rows";

/** What a job or a validation requires of a trainer, as values of its settings. */
export type TrainerNeeds = {
  method?: string;
  adapter?: string;
  formats?: readonly string[];
  ggufQuantizations?: readonly string[];
  compressedQuantizations?: readonly string[];
  exportFormats?: readonly string[];
  /** The trainer that must do it, because it has the checkpoint that the job continues from. */
  trainerId?: string;
  /** The pointer to all of it in the request, if there is a single one. */
  path?: string;
};

type Missing = { path: string; value: string; reason: string; hint: string | null };

/** `family`: the feature under which a trainer explains all of these. */
type Requirement = { path: string; wanted: readonly string[]; supported: readonly string[]; family?: string };

const linesOf = (needs: TrainerNeeds, can: Capabilities): Requirement[] => [
  { path: "/method", wanted: needs.method === undefined ? [] : [needs.method], supported: can.methods },
  { path: "/adapter", wanted: needs.adapter === undefined ? [] : [needs.adapter], supported: can.adapters },
  { path: "/output/formats", wanted: needs.formats ?? [], supported: can.formats },
  {
    path: "/output/ggufQuantizations",
    wanted: needs.ggufQuantizations ?? [],
    supported: can.gguf_quantizations,
    family: "gguf",
  },
  {
    path: "/output/compressedQuantizations",
    wanted: needs.compressedQuantizations ?? [],
    supported: can.compressed_quantizations,
    family: "compressed",
  },
  { path: "/format", wanted: needs.exportFormats ?? [], supported: can.export_formats, family: "export" },
];

/** Returns which of the `needs` a trainer does not support, with its own reasons. */
export function missingIn(can: Capabilities, needs: TrainerNeeds): Missing[] {
  const said = (feature: string) => can.unavailable.find((one) => one.feature === feature);
  return linesOf(needs, can).flatMap(({ path: own, wanted, supported, family }) =>
    wanted
      .filter((value) => !supported.includes(value) || said(value) !== undefined)
      .map((value) => {
        const because = said(value) ?? (family === undefined ? undefined : said(family)) ?? said("training");
        return {
          path: needs.path ?? own,
          value,
          reason: because?.reason ?? `It does not support ${value}.`,
          hint: because?.hint ?? null,
        };
      }),
  );
}

const sentence = (name: string, { value, reason, hint }: Missing) =>
  `${name} cannot do ${value}: ${reason}${hint === null ? "" : ` ${hint}`}`;

/** Sorts responsive trainers first, then by the least load. */
const byReadiness = (a: TrainerRow, b: TrainerRow) =>
  Number(isOnline(b)) - Number(isOnline(a)) || a.jobsRunning - b.jobsRunning;

/**
 * Returns the id of the trainer for the job: one that supports all of it. Throws 501 without any trainer, 422 with each one's
 * reason and remedy if none supports it, and 503 if none has ever reported its capabilities.
 */
export async function chooseTrainer({ db }: Pick<Ctx, "db">, needs: TrainerNeeds): Promise<string> {
  if (needs.trainerId === RECORDED_TRAINER) throw new ServiceError("unprocessable", ONLY_RECORDED);
  const attached = await attachedTrainers(db);
  const agents = attached.filter(({ kind }) => kind === "agent");
  if (agents.length === 0) throw new ServiceError("not_implemented", attached.length > 0 ? CALLED_BEFORE : NO_TRAINER);
  const candidates = agents.filter(({ id }) => needs.trainerId === undefined || id === needs.trainerId);
  if (candidates.length === 0) {
    if (attached.some(({ id }) => id === needs.trainerId)) throw new ServiceError("unprocessable", CALLED_BEFORE);
    throw new ServiceError("unprocessable", "The trainer that has this checkpoint is no longer attached.");
  }
  const known = candidates.filter(({ capabilities }) => capabilities !== null);
  const judged = known.map((row) => ({ row, missing: missingIn(readCapabilities(row.capabilities), needs) }));
  const [chosen] = judged
    .filter(({ missing }) => missing.length === 0)
    .map(({ row }) => row)
    .sort(byReadiness);
  if (chosen) return chosen.id;
  if (judged.length === 0) {
    const why = candidates.map(({ name, error }) => `${name}: ${error ?? "It has not been reached yet."}`).join(" ");
    throw new ServiceError("unavailable", `No trainer can be reached. ${why}`, { retryAfter: 30 });
  }
  const errors: FieldError[] = judged.flatMap(({ row, missing }) =>
    missing.map((one) => ({ path: one.path, message: sentence(row.name, one) })),
  );
  const message = `No attached trainer can do this. ${errors.map((error) => error.message).join(" ")}`;
  throw new ServiceError("unprocessable", message.slice(0, 4000), { errors });
}
