import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { publishDirectRoutes } from "@/server/platform/http/direct-routes";
import { directRoutesOf } from "@/server/rest/direct-routes";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { withDirectRoutes } from "@/web/direct-routes";
import { stopCleanly } from "@/web/stop-cleanly";

/**
 * For tests: serves calls of models like the web process, without Next, in a process of its own until it is stopped or killed. Sends
 * its origin when it is asked, and tells when its last connection has closed.
 */
publishDirectRoutes("v1", directRoutesOf(OPERATIONS, createDispatcher(OPERATIONS)));
const handle = withDirectRoutes((_, response) => response.writeHead(404).end());
const server = createServer((request, response) => void handle(request, response));
stopCleanly(server, []);
server.once("close", () => process.send?.("closed"));
process.once("message", () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
server.listen(0, "127.0.0.1", () => process.send?.("ready"));
