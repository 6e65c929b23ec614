import { publishDirectRoutes } from "@/server/platform/http/direct-routes";
import { directRoutesOf } from "./direct-routes";
import { createDispatcher } from "./dispatcher";
import { OPERATIONS } from "./operations";

/** Handles every request to `/v1`. */
export const v1 = createDispatcher(OPERATIONS);

publishDirectRoutes("v1", directRoutesOf(OPERATIONS, v1));
