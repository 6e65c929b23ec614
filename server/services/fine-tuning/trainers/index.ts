import "server-only";

export { NO_TRAINER } from "./attachment";
export { chooseTrainer, type TrainerNeeds } from "./choose-trainer";
export { openTrainer } from "./open-trainer";
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
export { trainerProblemOf } from "./trainer-problem";
export { isTrainerAttached, requireTrainer } from "./trainer-rows";
