import "server-only";

export { attachLocal } from "./agents/attach-local";
export { type Agent, authenticateAgent } from "./agents/authenticate-agent";
export { forgetCommandsOf, forgetOldCommands } from "./agents/commands";
export { leaseCommands, leaseInput } from "./agents/lease-commands";
export { addTrainer, removeTrainer } from "./agents/manage-agents";
export { takePart } from "./agents/take-part";
export { takeResult } from "./agents/take-result";
export { type Capabilities, readCapabilities, SPEC_VERSION } from "./capabilities";
export { chooseTrainer, type TrainerNeeds } from "./choose-trainer";
export { contextOfTrainer } from "./context-of-trainer";
export { baseModelBytes, JOB_DISK_BYTES } from "./disk";
export {
  inMs,
  isForNow,
  NOT_THERE,
  POLL_MS,
  RESTARTS_MAX,
  RETRY_MS,
  restartsOf,
  type Turn,
  withRestart,
} from "./follow";
export { listTrainers } from "./list-trainers";
export { clientOf, openTrainer } from "./open-trainer";
export { manifestRemovals, queueManifestRemovals, queueRemoval, type Removal } from "./queue-removals";
export { FINE_TUNING_READERS } from "./readers";
export { lockRecording } from "./recorded/lock-recording";
export { ONLY_RECORDED, RECORDED_TRAINER } from "./recorded/recorded-trainer";
export { recordedTimes } from "./recorded/recording";
export { storable, storableValue } from "./storable-value";
export {
  type TrainerCall,
  type TrainerClient,
  type TrainerDownload,
  type TrainerProblem,
  TrainerRefused,
  type TrainerReply,
  TrainerUnreachable,
} from "./trainer-client";
export { trainerFailure } from "./trainer-failure";
export { trainerHealth } from "./trainer-health";
export { problemOf, trainerProblemOf, withHint } from "./trainer-problem";
export { attachedTrainers, type CalledTrainer, isOnline, requireTrainer } from "./trainer-rows";
export { wakeDue } from "./wake-due";
