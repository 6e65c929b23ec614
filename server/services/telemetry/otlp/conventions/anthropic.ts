import type { Convention } from "../convention";

export const ANTHROPIC_SDK: Convention = {
  name: "Anthropic’s SDK",
  source: null,
  attributes: ["anthropic.response.service_tier", "anthropic.message.stop_reason"],
  unread: {
    "anthropic.request.id": "the id of a request; the response has its own",
  },
};

export const CLAUDE_CODE: Convention = {
  name: "Claude Code",
  source: null,
  attributes: ["speed"],
  unread: {
    attempt: "every attempt has its own span",
    "llm_request.context": "which part of Claude Code asked",
    "tool.result": "the event of the tool holds it",
  },
};
