import type { Convention } from "../convention";

export const GENERIC: Convention = {
  name: "Names of no particular exporter",
  source: null,
  attributes: [],
  unread: {
    "latitude.tags": "tags of Latitude",
  },
};
