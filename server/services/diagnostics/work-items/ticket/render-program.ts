import { boundedProgram } from "@/server/platform/processes/bounded-program";
import { renderTask } from "./render-task";

boundedProgram(renderTask);
