/** The detail of every 501 while no trainer is attached. It must be true for this version. */
export const NO_TRAINER =
  "Fine-tuning needs a trainer, and none is attached. On the machine of this installation, run `npx whetstone trainer`: it attaches itself. For another machine, an owner of the installation adds a trainer on the Trainers page, or with `npx whetstone trainer add --name NAME`.";

/** Why a trainer that an earlier release called does nothing, and what to do. */
export const CALLED_BEFORE =
  "An earlier release called this trainer; now trainers call Whetstone. Start it again with the same --home: on this machine with `npx whetstone trainer`, elsewhere with a new key from the Trainers page, or from `npx whetstone trainer add --name NAME --id ID`. It keeps its jobs and checkpoints.";
