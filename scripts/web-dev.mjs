// @ts-check
// The web process of `npm run dev`, from its sources. Next reloads the code behind it when it changes.
import { tsImport } from "tsx/esm/api";

await tsImport("../web/main.ts", import.meta.url);
