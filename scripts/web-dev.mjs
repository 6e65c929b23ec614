// @ts-check
// The web process of `npm run dev`, from its sources. What lies behind it Next loads again when it changes.
import { tsImport } from "tsx/esm/api";

await tsImport("../web/main.ts", import.meta.url);
