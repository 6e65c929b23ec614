import type { Method } from "@/server/operations/row";
import type { DirectRoutes } from "@/server/platform/http/direct-routes";
import { PREFIX } from "./dispatcher";
import { matcher } from "./http/match";
import type { Operation } from "./operation";

/** Returns the routes of models' calls, for which applications wait: those of the OpenAI API. */
export function directRoutesOf(
  operations: readonly Operation[],
  handle: (request: Request) => Promise<Response>,
): DirectRoutes {
  const ofOpenAi = operations.filter((one) => "stream" in one && one.stream.spec.problems === "openai");
  const match = matcher(ofOpenAi);
  return {
    include: (method, pathname) =>
      pathname.startsWith(`${PREFIX}/`) &&
      (match(pathname.slice(PREFIX.length))?.operations.has(method as Method) ?? false),
    handle,
  };
}
