import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { mapped, present } from "../readers/reader";

export const STRANDS: Convention = {
  name: "Strands Agents",
  source: null,
  spanType: [present("event_loop.cycle_id", "chain")], // before it named its operations
  frameworks: ["strands-agents"],
  systemMessages: [messagesIn("system_prompt", "system")],
  // A tool's arguments and result are events of its span.
  toolEvents: [{ arguments: "gen_ai.tool.message", result: "gen_ai.choice" }],
  failed: [mapped("gen_ai.tool.status", { error: true })],
  shown: ["gen_ai.tool.json_schema", "gen_ai.agent.tools", "gen_ai.event.start_time", "gen_ai.event.end_time"],
  alsoSends: [],
  unread: {
    "event_loop.*": "how Strands runs its loop",
  },
};
