import type { Trainer } from "@/server/services/trainers/schemas";
import type { Draft, SetDraft } from "./draft";

export type StepProps = { projectId: string; draft: Draft; setDraft: SetDraft; trainers: readonly Trainer[] };
