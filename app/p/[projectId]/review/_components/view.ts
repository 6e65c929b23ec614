import { createLoader, parseAsString } from "nuqs/server";

/** The Dataset whose candidates are reviewed; without one, every Dataset's. */
export const viewParsers = { dataset: parseAsString };
export const loadView = createLoader(viewParsers);

/** What the server's first render shows: the candidate that the reviewer would take next. */
export const peekInput = (projectId: string, datasetId: string | null) => ({
  projectId,
  ...(datasetId === null ? {} : { datasetId }),
});
