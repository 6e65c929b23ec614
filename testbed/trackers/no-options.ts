import type { TrackerOptions } from "@/server/services/connections/trackers/tracker";

/** For tests: the settings of a new connection. */
export const NO_OPTIONS: TrackerOptions = {
  openStates: [],
  closedStates: [],
  labels: [],
  issueType: null,
  ticketFields: {},
  installationId: null,
};
