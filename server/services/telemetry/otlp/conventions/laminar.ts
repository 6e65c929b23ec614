import type { Convention } from "../convention";
import { text } from "../readers/reader";
import { tagsIn } from "../readers/tags";

export const LAMINAR: Convention = {
  name: "Laminar",
  source: null,
  conversationId: [text("lmnr.association.properties.session_id")],
  userId: [text("lmnr.association.properties.user_id")],
  labels: [tagsIn("lmnr.association.properties.tags")],
  attributes: [],
  unread: {},
};
