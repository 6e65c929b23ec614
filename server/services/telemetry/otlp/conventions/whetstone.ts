import type { Convention } from "../convention";
import { tagsIn } from "../readers/tags";

export const WHETSTONE: Convention = {
  name: "Whetstone’s gateway",
  source: null,
  arms: [tagsIn("whetstone.gateway.arm")],
  shown: ["whetstone.*"],
  alsoSends: [],
  unread: {},
};
