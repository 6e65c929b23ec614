// npm run test:flaky -- FILE …: repeats test files, half of the times under load. See lib/testing/repeat-tests.mjs.
import { requireNode } from "./lib/system/node-version.mjs";

requireNode();
import("./lib/testing/repeat-tests.mjs").then(({ repeatTests }) => repeatTests(process.argv.slice(2)));
