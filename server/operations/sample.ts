import { loadSample } from "@/server/services/sample";
import { page } from "./row";

export const SAMPLE = {
  sample: {
    load: page(loadSample),
  },
};
