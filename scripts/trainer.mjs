// npx whetstone trainer: creates the trainer's environments and starts it; `npx whetstone trainer --help` lists its options.
import { requireNode } from "./lib/system/node-version.mjs";

requireNode();
import("./lib/trainer/run-trainer.mjs").then(({ runTrainer }) => runTrainer(process.argv.slice(2)));
