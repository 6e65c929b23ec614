import { parseAsString } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";

export const NEW = "new";
/** The list's own state, and the configuration whose form is open: its id, or `new`. */
export const viewParsers = { edit: parseAsString, ...listParsers };
export const listInput = (projectId: string) => ({ projectId, limit: 50 });
