// @ts-check
// npm run package: builds what `npx whetstone` and the container image install, as package/whetstone-VERSION.tgz.
import { makePackage } from "./lib/packaging/package.mjs";
import { explain } from "./lib/system/operator-error.mjs";
import { print } from "./lib/system/print.mjs";

try {
  print(await makePackage());
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
