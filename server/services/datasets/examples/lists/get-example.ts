import { verb } from "@/server/platform/verb";
import { namedActors } from "@/server/services/members";
import { actorOfReviewer } from "../../review/candidates";
import { exampleIdInput, exampleWithReviewerReply } from "../schemas";
import { readExample } from "./read-example";

export const getExample = verb(
  {
    name: "examples.get",
    summary: "Read one Example, and who reviewed it.",
    description:
      "Its newest revision, with where it came from. `reviewer` is the person or key that reviewed it, by name as far as they are still in the project; `null` if nobody did. 404 if it was deleted.",
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
