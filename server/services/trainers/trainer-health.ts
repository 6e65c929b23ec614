import type { Db } from "@/db/client";
import { attachedTrainers, isOnline } from "./trainer-rows";

/** Returns how many trainers are attached, and how many of them respond. */
export async function trainerHealth(db: Db): Promise<{ attached: number; online: number }> {
  const rows = (await attachedTrainers(db)).filter(({ kind }) => kind === "agent");
  return { attached: rows.length, online: rows.filter(isOnline).length };
}
