import { countsAsDone, firstNamed, missingStates, sameName } from "../mapped-state";
import type { TrackerOptions } from "../tracker";
import { TrackerError } from "../tracker-error";
import type { LinearRequest } from "./linear-api";
import { CREATE_LABEL, LABELS, type LinearState, type LinearTeam, TEAM_BY_KEY } from "./linear-documents";
import { LinearError } from "./linear-errors";

export const noSuchTeam = (key: string, teams: readonly { key: string }[]) =>
  new LinearError(
    "destination",
    teams.length === 0
      ? `The API key has access to no team in Linear. Use a key created by a member of “${key}”.`
      : `Linear has no team with the key “${key}”, or the API key cannot see it. It sees: ${teams.map((team) => team.key).join(", ")}.`,
    { problem: "missing", entity: "Team" },
  );

/** Returns the team with this key. */
export async function linearTeam(ask: LinearRequest, key: string): Promise<LinearTeam> {
  const { found, teams } = await ask(TEAM_BY_KEY, { team: { key: { eqIgnoreCase: key } } });
  const [team] = found.nodes;
  if (!team) throw noSuchTeam(key, teams.nodes);
  return team;
}

const byPosition = (states: readonly LinearState[]) => states.toSorted((one, other) => one.position - other.position);

/** Returns the state to move a ticket of the team to. */
export function stateFor(team: LinearTeam, options: TrackerOptions, done: boolean): LinearState {
  const states = byPosition(team.states.nodes).filter((state) => countsAsDone(options, state) === done);
  const ofType = (type: string) => states.filter((state) => state.type === type);
  const preferred = states.find(({ id }) => id === team.defaultIssueState?.id);
  const [state] = done
    ? [firstNamed(options.closedStates, states) ?? ofType("completed")[0] ?? states[0]]
    : [
        firstNamed(options.openStates, states) ??
          (preferred?.type === "unstarted" ? preferred : ofType("unstarted")[0]) ??
          ofType("backlog")[0] ??
          states[0],
      ];
  if (state) return state;
  throw new TrackerError(
    "destination",
    `The team ${team.key} has no state that counts as ${done ? "done" : "open"}. Change the mapping of states in the connection.`,
  );
}

/** Returns a problem for each mapped state that the team lacks. */
export const teamProblems = (team: LinearTeam, options: TrackerOptions): string[] =>
  missingStates(
    options,
    `The team ${team.key} in Linear`,
    byPosition(team.states.nodes).map(({ name }) => name),
  );

/** Returns the labels with these names that the team's issues may have: those of the team and of the workspace. */
async function labelsNamed(ask: LinearRequest, team: LinearTeam, names: readonly string[]) {
  if (names.length === 0) return [];
  const filter = {
    and: [
      { or: names.map((name) => ({ name: { eqIgnoreCase: name } })) },
      { or: [{ team: { id: { eq: team.id } } }, { team: { null: true } }] },
    ],
  };
  return (await ask(LABELS, { filter })).issueLabels.nodes;
}

/**
 * Returns the ids of labels, creating missing ones. Labels that Linear refuses are left out: a ticket without them is better
 * than none.
 */
export async function labelIdsFor(ask: LinearRequest, team: LinearTeam, names: readonly string[]): Promise<string[]> {
  const existing = await labelsNamed(ask, team, names);
  const ids = new Set<string>();
  for (const name of names) {
    const label = existing.find((one) => sameName(one.name, name));
    if (label?.isGroup) continue;
    const id = label?.id ?? (await createdLabel(ask, team, name));
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
}

async function createdLabel(ask: LinearRequest, team: LinearTeam, name: string): Promise<string | undefined> {
  try {
    return (await ask(CREATE_LABEL, { input: { name, teamId: team.id } })).issueLabelCreate.issueLabel.id;
  } catch (error) {
    if (error instanceof TrackerError && !error.transient) return undefined;
    throw error;
  }
}

/** Returns a problem for each label that no ticket can have. A missing label is created with the first ticket. */
export async function unusableLabels(
  ask: LinearRequest,
  team: LinearTeam,
  names: readonly string[],
): Promise<string[]> {
  const existing = await labelsNamed(ask, team, names);
  return names
    .filter((name) => existing.some((label) => label.isGroup && sameName(label.name, name)))
    .map((name) => `“${name}” is a label group in Linear. Choose one of its labels.`);
}
