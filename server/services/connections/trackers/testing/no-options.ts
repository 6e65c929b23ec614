import type { TrackerOptions } from "../tracker";

/** For tests: a connection whose settings are those that it begins with. */
export const NO_OPTIONS: TrackerOptions = {
  openStates: [],
  closedStates: [],
  labels: [],
  issueType: null,
  installationId: null,
};
