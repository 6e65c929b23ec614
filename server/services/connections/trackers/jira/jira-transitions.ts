import { z } from "zod";
import { countsAsDone, firstNamed, sameName } from "../mapped-state";
import type { Ticket, TrackerOptions } from "../tracker";
import { TrackerError } from "../tracker-error";
import { idSegment, type JiraApi, jiraStatus } from "./jira-api";

const field = z.object({
  name: z.string(),
  required: z.boolean(),
  hasDefaultValue: z.boolean().catch(false),
  allowedValues: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .optional()
    .catch(undefined),
});
const transitions = z.object({
  transitions: z.array(
    z.object({ id: z.string(), name: z.string(), to: jiraStatus, fields: z.record(z.string(), field).catch({}) }),
  ),
});
type Transition = z.output<typeof transitions>["transitions"][number];

/** Usual names of the ordinary resolution: the screens of transitions to done usually require one. */
const RESOLUTIONS = ["Done", "Fixed", "Resolved"];

/** Moves a ticket by a transition to a state that counts as done (or, if `done` is false, as open). */
export async function transit(api: JiraApi, ticket: Ticket, done: boolean, options: TrackerOptions): Promise<void> {
  const id = idSegment(ticket.externalId);
  const { transitions: available } = await api.ask({ subject: "ticket" }, transitions, ({ issues }) =>
    issues.getTransitions({ issueIdOrKey: id, expand: "transitions.fields" }),
  );
  const fitting = preferred(
    available.filter(({ to }) => countsAsDone(options, to) === done),
    done,
    options,
  );
  if (fitting.length === 0) throw noTransition(ticket, done, available);
  const open = fitting.find((transition) => unfilled(transition).length === 0);
  if (!open) throw unfilledFields(ticket, fitting[0] as Transition);
  await api.ask({ subject: "ticket", isWrite: true }, z.unknown(), ({ issues }) =>
    issues.doTransition({ issueIdOrKey: id, transition: { id: open.id }, fields: resolutionFor(open) }),
  );
}

/**
 * Orders transitions: those to the first mapped state come first; without one, when reopening, those to a state where nobody
 * works on it yet.
 */
function preferred(
  all: readonly Transition[],
  done: boolean,
  { openStates, closedStates }: TrackerOptions,
): Transition[] {
  const mapped = firstNamed(
    done ? closedStates : openStates,
    all.map(({ to }) => to),
  );
  const rank = ({ to }: Transition) => {
    if (mapped !== undefined) return sameName(to.name, mapped.name) ? 0 : 1;
    return done || to.category === "new" ? 0 : 1;
  };
  return all.toSorted((one, other) => rank(one) - rank(other));
}

/** Returns the resolution to set if the transition requires one and offers an ordinary one. */
function resolutionFor({ fields: { resolution } }: Transition): Record<string, { id: string }> {
  if (!resolution?.required || resolution.hasDefaultValue) return {};
  const value = firstNamed(RESOLUTIONS, resolution.allowedValues ?? []);
  return value === undefined ? {} : { resolution: { id: value.id } };
}

function unfilled(transition: Transition): string[] {
  const given = resolutionFor(transition);
  return Object.entries(transition.fields)
    .filter(([id, { required, hasDefaultValue }]) => required && !hasDefaultValue && !(id in given))
    .map(([, { name }]) => name);
}

const noTransition = ({ key, state }: Ticket, done: boolean, available: readonly Transition[]) =>
  new TrackerError(
    "destination",
    `No transition leads from “${state}”, the current state of ${key}, to a state that counts as ${done ? "done" : "open"}. ${
      available.length === 0
        ? "The account has no transition from this state: give it the permission “Transition issues”."
        : `Available transitions: ${available.map(({ name, to }) => `${name} (to “${to.name}”)`).join(", ")}. Move the ticket in Jira, or change the workflow or the mapping of states.`
    }`,
  );

const unfilledFields = ({ key }: Ticket, transition: Transition) =>
  new TrackerError(
    "destination",
    `The transition “${transition.name}” of ${key} requires ${unfilled(transition)
      .map((name) => `“${name}”`)
      .join(", ")}, which Whetstone cannot fill in. Move the ticket in Jira, or give the field a default value there.`,
  );
