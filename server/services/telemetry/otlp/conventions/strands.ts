import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { present } from "../readers/reader";

export const STRANDS: Convention = {
  name: "Strands Agents",
  source: null,
  spanType: [present("event_loop.cycle_id", "chain")], // before it named its operations
  frameworks: ["strands-agents"],
  systemMessages: [messagesIn("system_prompt", "system")],
  attributes: ["system_prompt"],
  unread: {
    "event_loop.*": "how Strands runs its loop",
  },
};
