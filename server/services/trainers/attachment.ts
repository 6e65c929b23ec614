import { env } from "@/env";

/** The detail of every 501 while no trainer is attached. It must be true for this version. */
export const NO_TRAINER =
  "Fine-tuning needs a trainer, and none is attached. On the machine of this installation, run `npm run trainer`: it attaches itself. For another machine, an owner of the installation adds a trainer on the Trainers page, or with `npm run -s cli -- trainer add --name NAME`.";

/** Returns the address and token of the trainer configured by the operator; `null` without one. */
export function namedTrainer(): { url: string; token: string } | null {
  const { TRAINER_URL: url, TRAINER_TOKEN: token } = env();
  return url === undefined || token === undefined ? null : { url, token };
}
