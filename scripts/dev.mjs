// npm run dev: serves from the sources and reloads them when they change.
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
