import { Middleware } from "inngest";
import { loggable } from "@/server/platform/loggable";

async function plainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw loggable(error);
  }
}

/**
 * What fails in a job is stored with its run, shown to members and, with a server, sent there: a database error names
 * its query and never the values in it.
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
