import type { ServerResponse } from "node:http";
import type { Received } from "@/server/services/connections/testing";
import type { SimulatedTracker } from "./simulated-tracker";

export type Answer = { status: number; headers?: Record<string, string>; body?: unknown };

/** For tests: replies with what `answer` returns, unless the tracker's fault decides otherwise. */
export const withFaults =
  (
    tracker: Pick<SimulatedTracker, "fault">,
    answer: (request: Received) => Answer | Promise<Answer>,
    { limited, failed }: { limited: () => Answer; failed: (status: number) => Answer },
  ) =>
  async (request: Received, response: ServerResponse): Promise<void> => {
    const fault = tracker.fault(request);
    if (fault === "drop") return void response.socket?.destroy();
    const special = fault === "limit" ? limited() : typeof fault === "number" ? failed(fault) : undefined;
    const { status, headers, body } = special ?? (await answer(request));
    if (fault === "lose") return void response.socket?.destroy();
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body === undefined ? "" : JSON.stringify(body));
  };
