// npm start: sets up what is missing and serves the workbench. See lib/serving/serve.mjs.
import { requireNode } from "./lib/system/node-version.mjs";

requireNode();
import("./lib/serving/run-mode.mjs").then(({ runMode }) =>
  runMode({
    kind: "start",
    build: true,
    nodeEnv: "production",
    web: ["dist/web.js"],
    worker: ["dist/worker.js"],
  }),
);
