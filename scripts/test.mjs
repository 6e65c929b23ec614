// npm test: sets up what the tests need and runs all of them; `npm test -- verify|unit|db|trainer|e2e …` runs parts of them.
import { requireRecommendedNode } from "./lib/system/node-version.mjs";

requireRecommendedNode();
import("./lib/testing/run-tests.mjs").then(({ runTests }) => runTests(process.argv.slice(2)));
