import { verb } from "@/server/platform/verb";
import { readExample } from "./read-example";
import { exampleIdInput, exampleReply } from "./schemas";

export const getExample = verb(
  {
    name: "examples.get",
    summary: "Read one Example.",
    effect: "read",
    capability: "workspace:read",
    input: exampleIdInput,
    reply: exampleReply,
  },
  async (ctx, input) => ({ example: await readExample(ctx, input) }),
);
