import { health, healthReply } from "../health";
import { cachedJson } from "../http/cached-json";
import { openApiOf, openApiReply } from "../openapi";
import type { Operation } from "../operation";
import { about } from "./line";

/** Operations about the service itself. `all` is the table that the reference describes. */
export const serviceOperations = (all: () => readonly Operation[]) =>
  about("Service", [
    {
      method: "GET",
      path: "/healthz",
      name: "service.health",
      summary: "Returns whether the process responds. It does not check storage, jobs or providers.",
      reply: healthReply,
      open: health,
    },
    {
      method: "GET",
      path: "/openapi.json",
      name: "service.openapi",
      summary: "Returns this API as an OpenAPI 3.1 document.",
      reply: openApiReply,
      open: cachedJson(() => openApiOf(all())),
    },
  ]);
