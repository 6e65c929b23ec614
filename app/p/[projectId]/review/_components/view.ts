import { parseAsString } from "nuqs/server";

/** The Dataset whose candidates are reviewed; without one, every Dataset's. */
export const viewParsers = { dataset: parseAsString };
