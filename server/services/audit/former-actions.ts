/** Names under which earlier versions recorded an action, with today's. The log itself is never changed. */
const CURRENT: Readonly<Record<string, string>> = {
  "datasets.cancelImport": "datasetImports.cancel",
  "datasets.createImport": "datasetImports.create",
  "fineTuning.addBaseModel": "baseModels.add",
  "fineTuning.cancelEvaluation": "evaluations.cancel",
  "fineTuning.cancelExport": "modelExports.cancel",
  "fineTuning.cancelJob": "trainingJobs.cancel",
  "fineTuning.certifyCheckpoint": "certificates.create",
  "fineTuning.createEvaluation": "evaluations.create",
  "fineTuning.createExport": "modelExports.create",
  "fineTuning.createJob": "trainingJobs.create",
  "fineTuning.createTuningConfig": "tuningConfigs.create",
  "fineTuning.deleteTuningConfig": "tuningConfigs.delete",
  "fineTuning.deployCheckpoint": "deployments.deploy",
  "fineTuning.pauseJob": "trainingJobs.pause",
  "fineTuning.queueDeployment": "deployments.queue",
  "fineTuning.removeBaseModel": "baseModels.remove",
  "fineTuning.resumeJob": "trainingJobs.resume",
  "fineTuning.rollBackDeployment": "deployments.rollBack",
  "fineTuning.startPlayground": "deployments.startPlayground",
  "fineTuning.stopDeployment": "deployments.stop",
  "fineTuning.updateTuningConfig": "tuningConfigs.update",
};

/** Returns today's name of a recorded action. */
export const currentAction = (recorded: string) =>
  (Object.hasOwn(CURRENT, recorded) ? CURRENT[recorded] : undefined) ?? recorded;

const subjectOf = (action: string) => action.split(".", 1)[0];

/** Returns all names under which an action, named as today or as formerly, or those of a subject, may be recorded. */
export function recordedNames(asked: string): string[] {
  const isAsked = asked.includes(".")
    ? (name: string) => currentAction(name) === currentAction(asked)
    : (name: string) => subjectOf(name) === asked;
  const renamed = Object.entries(CURRENT).filter(([former, current]) => isAsked(former) || isAsked(current));
  return [...new Set([asked, ...renamed.flat()])];
}
