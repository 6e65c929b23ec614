import type { TrackerKind } from "../schemas";
import { TRACKERS } from "../trackers/kinds";
import { TrackerError } from "../trackers/tracker-error";
import type { Kind } from "./kind";

/** Returns the test of a tracker connection: it reports what would prevent handing over a Finding. */
export const trackerProbe =
  <Name extends TrackerKind>(kind: Name): Kind<Name>["probe"] =>
  async (service, settings, { ticketFields }) => {
    try {
      const options = { issueType: null, installationId: null, ...settings, ticketFields };
      return await TRACKERS[kind](service, options).check(settings.defaultDestination);
    } catch (error) {
      if (error instanceof TrackerError) return [error.message];
      throw error;
    }
  };
