import type { Convention } from "../convention";
import { jsonText } from "../readers/reader";

export const MLFLOW: Convention = {
  name: "MLflow",
  source: null,
  fallback: {
    userId: [jsonText("mlflow.trace.user")],
  },
  attributes: [],
  unread: {},
};
