import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";

export const GENERIC: Convention = {
  name: "Names of no particular exporter",
  source: null,
  inputs: [messagesIn("input", "user")],
  outputs: [messagesIn("output", "assistant")],
  attributes: [],
  unread: {
    "latitude.tags": "tags of Latitude",
  },
};
