import type { GatewayTarget } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { finishWithoutCaller } from "@/server/platform/event-loop/unfinished-work";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import type { Io } from "@/server/platform/stream-verb";
import type { VariantParameters } from "@/server/services/proof/variants/schemas";
import type { CallableAlias } from "../aliases/callable-aliases";
import type { Dialect, Pairs } from "../calls/dialect";
import type { ModelRequest } from "../calls/read-request";
import { withParameters, withVariant } from "./apply-variant";
import { type Assignment, createAssigner } from "./assignments";
import { armsOf } from "./experiment-rows";
import { responseHash, subjectOf } from "./subject-of";

type Asked = { dialect: Dialect; request: ModelRequest; headers: Io["headers"] };
/** A target of a call, and what it is sent. */
export type Choice = { target: GatewayTarget; request: ModelRequest; maxOutputTokens: number | null };

/** What an experiment makes of a call. */
export type Trial = {
  /** Recorded with it. */
  arm: Pairs;
  /** What is asked before the alias's own targets; `null`: nothing. */
  first: Choice | null;
  /** What these are sent. */
  request: ModelRequest;
  /** Stores that calls which refer to the response belong to the same conversation. */
  continueWith: (responseId: string) => Promise<void>;
};

const assigner = createAssigner();
const NOTHING = async () => {};

/** Returns what the alias's experiment makes of a call, if one runs and the call belongs to a conversation. */
export async function trialOf(ctx: Ctx, alias: CallableAlias, asked: Asked): Promise<Trial> {
  const { dialect, request, headers } = asked;
  const outside: Trial = { arm: [], first: null, request, continueWith: NOTHING };
  const { experiment } = alias;
  // Vectors of two models cannot be compared.
  if (experiment === null || dialect.operation === "embeddings") return outside;
  const subject = subjectOf(request.fields, headers);
  if (subject === null) return outside;
  // An experiment must not fail a call.
  const assignment = await assigner.assign(ctx, experiment.id, subject).catch(failed(null));
  if (assignment === null) return outside;
  const trial: Trial = {
    ...outside,
    arm: armPairs([armsOf(experiment.name)[assignment.arm]]),
    ...(!subject.isRepeated &&
      dialect.operation === "responses" && {
        continueWith: (id: string) =>
          assigner.continueWith(ctx, experiment.id, assignment, responseHash(id)).catch(failed(undefined)),
      }),
  };
  return assignment.arm === "variant" ? withChange(ctx, alias, asked, trial, assignment) : trial;
}

const armPairs = (arms: readonly string[]): Pairs => [["whetstone.gateway.arm", arms]];

/** Returns the trial of a call in the variant's arm: with its change or, if that does not fit, as it is. */
async function withChange(
  ctx: Ctx,
  { experiment, maxOutputTokens }: CallableAlias,
  { dialect, request }: Asked,
  trial: Trial,
  assignment: Assignment,
): Promise<Trial> {
  if (experiment === null) return trial;
  const { id, name, variant } = experiment;
  const changed = withVariant(dialect, request, variant);
  if (changed === null) {
    await finishWithoutCaller(assigner.noteNotApplied(ctx, id, assignment).catch(failed(undefined)));
    const { variant: assigned, notApplied } = armsOf(name);
    return { ...trial, arm: armPairs([assigned, notApplied]) };
  }
  const parameters = variant.parameters as VariantParameters;
  const first: Choice = {
    target:
      variant.connectionId === null
        ? { deployment: variant.deploymentId ?? variant.model }
        : { connectionId: variant.connectionId, model: variant.model },
    request: withParameters(dialect, changed, parameters),
    maxOutputTokens: parameters.maxTokens ?? maxOutputTokens,
  };
  return { ...trial, first, request: changed };
}

const failed =
  <Value>(instead: Value) =>
  (error: unknown) => {
    logger("gateway").error({ err: loggable(error) }, "The arm of a conversation could not be read or stored.");
    return instead;
  };
