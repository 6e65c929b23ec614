import type { Convention } from "../convention";

export const STRANDS: Convention = {
  name: "Strands Agents",
  source: null,
  attributes: ["system_prompt"],
  unread: {
    "event_loop.*": "how Strands runs its loop",
  },
};
