import { boundedStreamProgram } from "@/server/platform/processes/bounded-program";
import { rowsTask } from "./rows-task";

boundedStreamProgram(rowsTask);
