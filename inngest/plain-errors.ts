import { Middleware } from "inngest";
import { loggable } from "@/server/platform/logging/loggable";

async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw loggable(error);
  }
}

/**
 * Strips query values from errors in jobs: they are stored with the run, shown to members and sent to the Inngest server, if
 * there is one.
 */
export class PlainErrors extends Middleware.BaseMiddleware {
  override readonly id = "plain-errors";
  override wrapStepHandler({ next }: Middleware.WrapStepHandlerArgs) {
    return plainly(next);
  }
  override wrapFunctionHandler({ next }: Middleware.WrapFunctionHandlerArgs) {
    return plainly(next);
  }
}
