import { createLoader, createSerializer, parseAsString } from "nuqs/server";
import { listParsers } from "@/app/_components/data-table/list-view";

export const viewParsers = { run: parseAsString, ...listParsers };
export const loadView = createLoader(viewParsers);
export const serializeView = createSerializer(viewParsers);

const PAGE = 50;
export const listInput = (projectId: string, view: { run: string | null }) => ({
  projectId,
  limit: PAGE,
  ...(view.run !== null ? { jobId: view.run } : {}),
});
