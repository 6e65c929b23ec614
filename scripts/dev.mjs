// npm run dev: serves from the sources and reloads them when they change.
import { requireRecommendedNode } from "./lib/system/node-version.mjs";

requireRecommendedNode();
import("./lib/serving/run-mode.mjs").then(({ runMode }) =>
  runMode({
    kind: "dev",
    build: false,
    nodeEnv: "development",
    web: ["scripts/web-dev.mjs"],
    worker: ["scripts/worker-dev.mjs"],
  }),
);
