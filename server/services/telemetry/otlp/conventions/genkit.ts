import type { Convention } from "../convention";

export const GENKIT: Convention = {
  name: "Genkit",
  source: null,
  attributes: ["genkit:input", "genkit:output"],
  unread: {
    "genkit:type": "`genkit:metadata:subtype` is read",
  },
};
