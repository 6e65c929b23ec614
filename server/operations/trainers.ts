import { addTrainer, listTrainers, removeTrainer } from "@/server/services/trainers";
import { get, page, project, under } from "./row";

const base = `${project}/fine-tuning`;

export const TRAINERS = {
  trainers: under("Fine-tuning", {
    list: get(`${base}/trainers`, listTrainers),
    add: page(addTrainer),
    remove: page(removeTrainer),
  }),
};
