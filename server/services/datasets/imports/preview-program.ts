import { boundedProgram } from "@/server/platform/processes/bounded-program";
import { previewTask } from "./preview-task";

boundedProgram(previewTask);
