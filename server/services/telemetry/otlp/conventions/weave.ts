import type { Convention } from "../convention";
import { text } from "../readers/reader";

export const WEAVE: Convention = {
  name: "W&B Weave",
  source: null,
  conversationId: [text("wandb.thread_id")],
  alsoSends: [],
  unread: {},
};
