import "server-only";

export { forgetOldCommands } from "./agent-trainer";
export { SPEC_VERSION } from "./capabilities";
export { chooseTrainer, type TrainerNeeds } from "./choose-trainer";
export { downloadCheckpointFile } from "./download-checkpoint-file";
export { listTrainers } from "./list-trainers";
export { addTrainer, removeTrainer } from "./manage-agents";
export { clientOf, openTrainer } from "./open-trainer";
export { ONLY_RECORDED, RECORDED_TRAINER } from "./recorded/recorded-trainer";
export { refreshTrainers } from "./refresh-trainers";
export {
  type TrainerCall,
  type TrainerClient,
  type TrainerDownload,
  type TrainerProblem,
  TrainerRefused,
  type TrainerReply,
  TrainerUnreachable,
} from "./trainer-client";
export { trainerHealth } from "./trainer-health";
export { problemOf, trainerProblemOf, withHint } from "./trainer-problem";
export { type CalledTrainer, requireTrainer } from "./trainer-rows";
