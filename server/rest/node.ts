import type { RequestListener } from "node:http";
import { toNodeHandler } from "srvx/node";
import { v1 } from "./v1";

/**
 * `/v1` for the HTTP server of the web process, which hands it over before Next sees it: Next's routing was a third of the
 * processor time of a small request.
 */
export default toNodeHandler(v1) as RequestListener;
