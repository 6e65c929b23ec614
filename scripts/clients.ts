/** npm run clients: packs the clients of `/v1` as they would be published, into `package/clients`. */
import { packPython, packTypeScript } from "./lib/clients/pack";

// The document names the session's cookie, for which the settings are read. None of them is in a client.
process.env.DATABASE_URL ??= "postgres://none";
process.env.WHETSTONE_SECRET ??= "none".repeat(16);

console.log(await packTypeScript());
console.log(await packPython());
