import { bearer, type Kind, tokenNeeded } from "./kind";
import { trackerProbe } from "./tracker-probe";

export const gitlab: Kind<"gitlab"> = {
  label: "GitLab",
  needsSecret: tokenNeeded,
  sign: bearer,
  addressHint: "GitLab's API address ends in /api/v4.",
  probe: trackerProbe("gitlab"),
};
