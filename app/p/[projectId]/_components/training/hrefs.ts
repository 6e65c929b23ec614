const at = (projectId: string, path: string) => `/p/${encodeURIComponent(projectId)}/${path}`;

export const jobHref = (projectId: string, jobId: string) => at(projectId, `training/${encodeURIComponent(jobId)}`);
export const compareHref = (projectId: string, jobIds: readonly string[]) =>
  at(projectId, `training/compare?jobs=${jobIds.map(encodeURIComponent).join(",")}`);

/** The wizard, empty or with a first choice: a Dataset, a job to clone, a checkpoint to continue from, a configuration. */
export const newTrainingHref = (
  projectId: string,
  from: { dataset?: string; clone?: string; checkpoint?: string; config?: string; step?: string } = {},
) => {
  const query = new URLSearchParams(
    Object.entries(from).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();
  return at(projectId, `training/new${query === "" ? "" : `?${query}`}`);
};
export const checkpointHref = (projectId: string, checkpointId: string) =>
  at(projectId, `checkpoints/${encodeURIComponent(checkpointId)}`);
/** A file of a checkpoint, through the REST API that scripts use too. */
export const checkpointFileHref = (projectId: string, checkpointId: string, path: string) =>
  `/v1/projects/${encodeURIComponent(projectId)}/fine-tuning/checkpoints/${encodeURIComponent(checkpointId)}/content?path=${encodeURIComponent(path)}`;

const withQuery = (path: string, query: Record<string, string | undefined>) => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

export const deploymentHref = (projectId: string, deploymentId: string) =>
  at(projectId, `deployments/${encodeURIComponent(deploymentId)}`);
/** A pane of the playground: a checkpoint, a base model or a deployment. */
export const playgroundHref = (
  projectId: string,
  from: { a?: string; b?: string; conversation?: string; turn?: string } = {},
) => at(projectId, withQuery("playground", from));
export const exportHref = (projectId: string, exportId: string) =>
  at(projectId, `exports?peek=${encodeURIComponent(exportId)}`);
export const lineageHref = (projectId: string, rootModelId: string) =>
  at(projectId, `lineage/${encodeURIComponent(rootModelId)}`);
