export const evaluationHref = (projectId: string, evaluationId: string) =>
  `/p/${encodeURIComponent(projectId)}/evaluations/${encodeURIComponent(evaluationId)}`;
