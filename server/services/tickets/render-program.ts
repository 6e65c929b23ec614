import { writeSync } from "node:fs";
import { boundedProgram } from "@/server/platform/processes/bounded-program";
import { lineMark, renderTask, type TemplateTask } from "./render-task";

const STDERR = 2;
let noted = "";

boundedProgram((task: TemplateTask) =>
  renderTask(task, (field, line) => {
    const mark = lineMark(field, line);
    if (mark !== noted) writeSync(STDERR, mark);
    noted = mark;
  }),
);
