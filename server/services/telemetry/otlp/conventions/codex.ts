import type { Convention } from "../convention";
import { unlessNumber } from "../readers/ids";
import { text } from "../readers/reader";

export const CODEX: Convention = {
  name: "Codex",
  source: null,
  // Elsewhere it is the number of an OS thread.
  conversationId: [unlessNumber(text("thread.id"))],
  alsoSends: [],
  unread: {},
};
