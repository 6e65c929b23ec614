// npm run dev: the same from the sources, which are loaded again when they change.
import { requireNode } from "./lib/system/node-version.mjs";

requireNode();
import("./lib/serving/run-mode.mjs").then(({ runMode }) =>
  runMode({
    kind: "dev",
    build: false,
    nodeEnv: "development",
    web: ["scripts/web-dev.mjs"],
    worker: ["scripts/worker-dev.mjs"],
  }),
);
