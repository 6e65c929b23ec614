const PAGE = 50;

export const occurrencesInput = (projectId: string, findingId: string) => ({ projectId, findingId, limit: PAGE });
