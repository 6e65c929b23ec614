import { repricings } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { listRepricingsInput, repricingIdInput, repricingReply, repricingsReply } from "../schemas";
import { readRepricing, readRepricings } from "./read-repricings";

export const listRepricings = verb(
  {
    name: "repricings.list",
    summary: "List repricings, newest first, with requester, progress and changes.",
    description:
      "Each has its period and filters, who requested it, its progress, and the sums before and after of the calls examined so far. An undone repricing stays in the list, with `undoneAt`.",
    effect: "read",
    capability: "model-pricing:read",
    input: listRepricingsInput,
    reply: repricingsReply,
  },
  async (ctx, { limit, cursor }) => {
    const list = newestFirst({
      name: "repricings",
      filters: { project: ctx.projectId },
      time: repricings.createdAt,
      id: repricings.id,
      limit,
      cursor,
    });
    const found = await readRepricings(ctx, list.after, { order: list.order, limit: list.fetch });
    const { rows, nextCursor } = list.page(found, ({ createdAt, id }) => [createdAt, id]);
    return { repricings: rows, pagination: { limit, nextCursor } };
  },
);

export const getRepricing = verb(
  {
    name: "repricings.get",
    summary: "Read one repricing with its state, progress, and costs before and after.",
    description:
      "`callsExamined` of about `callsExpected` calls are done. Costs are sums over the examined calls, before and after. `callsRestored` and `callsKept` are those of its undo.",
    effect: "read",
    capability: "model-pricing:read",
    input: repricingIdInput,
    reply: repricingReply,
  },
  async (ctx, { repricingId }) => ({ repricing: await readRepricing(ctx, repricingId) }),
);
