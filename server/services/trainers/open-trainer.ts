import type { Db } from "@/db/client";
import { agentTrainer } from "./agents/agent-trainer";
import { CALLED_BEFORE } from "./agents/attachment";
import { RECORDED_TRAINER, recordedTrainer } from "./recorded/recorded-trainer";
import { type TrainerClient, TrainerUnreachable } from "./trainer-client";
import { attachedTrainers, type CalledTrainer, isOnline } from "./trainer-rows";

/** Returns the client of an attached trainer; throws `TrainerUnreachable` without one. */
export function clientOf(db: Db, row: CalledTrainer | null): TrainerClient {
  if (!row) throw new TrainerUnreachable("The trainer is no longer attached.");
  if (row.kind === "url") throw new TrainerUnreachable(CALLED_BEFORE);
  return agentTrainer({ db, trainerId: row.id, isOnline: isOnline(row) });
}

/** Returns a trainer's client, including the recorded one's; throws `TrainerUnreachable` if it is no longer attached. */
export async function openTrainer(db: Db, trainerId: string): Promise<TrainerClient> {
  if (trainerId === RECORDED_TRAINER) return recordedTrainer(db);
  return clientOf(db, (await attachedTrainers(db)).find(({ id }) => id === trainerId) ?? null);
}
