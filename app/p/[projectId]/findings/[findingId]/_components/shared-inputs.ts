const PROOFS_SHOWN = 5;
const VARIANTS_SHOWN = 3;
const TICKETS_MAX = 50;

/** The newest proofs of a Finding, as several parts of its page show them. */
export const proofsInput = (projectId: string, findingId: string) => ({ projectId, findingId, limit: PROOFS_SHOWN });

/** The newest variants that were written for a Finding. */
export const variantsInput = (projectId: string, findingId: string) => ({
  projectId,
  findingId,
  limit: VARIANTS_SHOWN,
});

/** The tickets of a Finding, the newest first. */
export const ticketsInput = (projectId: string, findingId: string) => ({ projectId, findingId, limit: TICKETS_MAX });

/** The newest fix of a Finding. */
export const fixesInput = (projectId: string, findingId: string) => ({ projectId, findingId, limit: 1 });
