import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { awaitLog } from "./read-log";
import { eventsReply, listEventsInput } from "./schemas";

export const listEvents = verb(
  {
    name: "trainingJobs.events",
    summary: "List the events of a training job, in order.",
    description:
      "Pass `lastSeq` as `after` for later events. With `wait` the response is sent as soon as something is new, even if only in the charts. Measurements and progress are not in the list: see metrics and the job.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listEventsInput,
    reply: eventsReply,
  },
  async (ctx, { jobId, after, limit, wait }) => {
    return awaitLog(ctx, jobId, after, limit, wait);
  },
);
