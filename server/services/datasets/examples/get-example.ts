import { verb } from "@/server/platform/verb";
import { namedActors } from "@/server/services/members";
import { actorOfReviewer } from "../review/candidates";
import { readExample } from "./read-example";
import { exampleIdInput, exampleWithReviewerReply } from "./schemas";

export const getExample = verb(
  {
    name: "examples.get",
    summary: "Read one Example, and who reviewed it.",
    effect: "read",
    capability: "workspace:read",
    input: exampleIdInput,
    reply: exampleWithReviewerReply,
  },
  async (ctx, input) => {
    const example = await readExample(ctx, input);
    if (example.reviewerId === null) return { example, reviewer: null };
    const reviewer = actorOfReviewer(example.reviewerId);
    const named = await namedActors(ctx, [reviewer]);
    return { example, reviewer: named(reviewer) };
  },
);
