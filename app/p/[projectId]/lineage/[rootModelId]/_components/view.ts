import { parseAsStringLiteral } from "nuqs/server";

export const SHOWS = ["graph", "table"] as const;
export const viewParsers = { show: parseAsStringLiteral(SHOWS).withDefault("graph") };
