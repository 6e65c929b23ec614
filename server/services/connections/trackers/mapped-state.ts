import type { TrackerOptions } from "./tracker";

type Mapping = Pick<TrackerOptions, "openStates" | "closedStates">;

/** Returns whether two names of states or types look the same to people. */
export const sameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();
const listed = (names: readonly string[], name: string) => names.some((one) => sameName(one, name));

/** Returns whether a state counts as done: according to the connection's mapping, otherwise according to the tracker. */
export function countsAsDone({ openStates, closedStates }: Mapping, state: { name: string; isDone: boolean }): boolean {
  if (listed(closedStates, state.name)) return true;
  return listed(openStates, state.name) ? false : state.isDone;
}

/** Returns the first of the names that is among the states. */
export function firstNamed<State extends { name: string }>(
  names: readonly string[],
  states: readonly State[],
): State | undefined {
  for (const name of names) {
    const found = states.find((state) => sameName(state.name, name));
    if (found) return found;
  }
  return undefined;
}

/** Returns a problem for each mapped state that does not exist. */
export function missingStates(
  { openStates, closedStates }: Mapping,
  where: string,
  states: readonly string[],
): string[] {
  return [...openStates, ...closedStates]
    .filter((name) => !listed(states, name))
    .map((name) => `${where} has no state “${name}”. It has: ${states.join(", ")}. Change the mapping of states.`);
}
