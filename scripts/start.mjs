// npm start: sets up what is missing and serves the workbench. See lib/serving/serve.mjs.
import { requireRecommendedNode } from "./lib/system/node-version.mjs";

requireRecommendedNode();
import("./lib/serving/run-mode.mjs").then(({ runMode }) =>
  runMode({
    kind: "start",
    build: true,
    nodeEnv: "production",
    web: ["--expose-gc", "dist/web.js"],
    worker: ["dist/worker.js"],
  }),
);
