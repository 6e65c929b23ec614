import type { Convention } from "../convention";

export const LANGWATCH: Convention = {
  name: "LangWatch",
  source: null,
  attributes: [],
  unread: {
    "langwatch.timestamps": "the span has its times",
  },
};
