import { type Dialect, parametersOf } from "./dialect";
import { fieldsOf, textOf } from "./fields";
import { fieldsIn } from "./splice-fields";

/** Of an answer, all but its vectors, which may be many megabytes. */
const READ: ReadonlySet<string> = new Set(["id", "model", "usage", "error"]);

/** `POST /embeddings`. */
export const EMBEDDINGS: Dialect = {
  operation: "embeddings",
  path: "/embeddings",
  accept: () => "application/json",
  usageFields: () => ({}),
  limits: [],
  limit: () => ({}),
  // Vectors of two models cannot be compared.
  isPinned: () => true,
  asked: parametersOf,
  read: (body) =>
    Object.fromEntries(
      fieldsIn(body)
        .filter(({ name }) => READ.has(name))
        .map(({ name, from, to }) => [name, JSON.parse(body.toString("utf8", from, to))]),
    ),
  fold(answer, json) {
    const { id, model, usage } = fieldsOf(json);
    answer.id ??= textOf(id);
    answer.model ??= textOf(model);
    answer.usage = typeof usage === "object" && usage !== null ? fieldsOf(usage) : answer.usage;
  },
  endOf: () => null,
  isPreamble: () => false,
  isUsageOnly: () => false,
  errorEvent: () => "",
};
