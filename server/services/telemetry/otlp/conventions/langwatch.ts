import type { Convention } from "../convention";
import { text } from "../readers/reader";
import { tagsIn } from "../readers/tags";

export const LANGWATCH: Convention = {
  name: "LangWatch",
  source: null,
  conversationId: [text("langwatch.thread.id")],
  userId: [text("langwatch.user.id")],
  labels: [tagsIn("langwatch.labels")],
  attributes: [],
  unread: {
    "langwatch.timestamps": "the span has its times",
  },
};
