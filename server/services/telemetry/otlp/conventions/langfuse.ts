import type { Convention } from "../convention";
import { text } from "../readers/reader";
import { tagsIn } from "../readers/tags";

export const LANGFUSE: Convention = {
  name: "Langfuse",
  source:
    "langfuse/langfuse-python, langfuse/_client/attributes.py at c3c6a09e, and langfuse/langfuse-js, packages/core/src/constants.ts at 0d5a8d0e",
  conversationId: [text("langfuse.session.id")],
  userId: [text("langfuse.user.id")],
  labels: [tagsIn("langfuse.trace.tags")],
  attributes: [
    "user.id",
    "session.id",
    "langfuse.trace.tags",
    "langfuse.trace.input",
    "langfuse.trace.output",
    "langfuse.observation.type",
    "langfuse.observation.metadata",
    "langfuse.observation.level",
    "langfuse.observation.status_message",
    "langfuse.observation.input",
    "langfuse.observation.output",
    "langfuse.observation.model.name",
    "langfuse.observation.usage_details",
    "langfuse.observation.cost_details",
    "langfuse.session.id",
    "langfuse.user.id",
    "langfuse.trace.name",
    "langfuse.trace.public",
    "langfuse.observation.completion_start_time",
    "langfuse.observation.model.parameters",
    "langfuse.observation.prompt.name",
    "langfuse.observation.prompt.version",
    "langfuse.environment",
    "langfuse.release",
    "langfuse.version",
    "langfuse.internal.as_root",
    "langfuse.internal.is_app_root",
    "langfuse.trace.metadata.*",
    "langfuse.observation.metadata.*",
  ],
  unread: {
    "langfuse.experiment.*": "experiments are run on data sets, not by users",
  },
};
