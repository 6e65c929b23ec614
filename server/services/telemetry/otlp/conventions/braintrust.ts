import type { Convention } from "../convention";
import { tagsIn } from "../readers/tags";

export const BRAINTRUST: Convention = {
  name: "Braintrust",
  source: null,
  labels: [tagsIn("braintrust.tags")],
  alsoSends: [],
  unread: {},
};
