import type { Convention } from "../convention";
import { messagesIn } from "../readers/message-source";
import { value } from "../readers/reader";

export const GENERIC: Convention = {
  name: "Names of no particular exporter",
  source: null,
  inputs: [messagesIn("input", "user")],
  outputs: [messagesIn("output", "assistant")],
  toolArguments: [value("input")],
  toolResult: [value("output")],
  shown: [
    "server.address",
    "server.port",
    "http.*",
    "url.*",
    "net.*",
    "telemetry.sdk.*",
    "service.name",
    "deployment.environment",
    "code.*",
    "thread.*",
  ],
  alsoSends: [],
  unread: {
    "latitude.tags": "tags of Latitude",
  },
};
