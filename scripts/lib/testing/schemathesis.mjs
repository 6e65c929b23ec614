// @ts-check
import { installTool, pathOfTool } from "./python-tool.mjs";

const TOOL = {
  name: "schemathesis",
  program: "schemathesis",
  requirements: "e2e/schemathesis/requirements.txt",
  purpose: "The tests of /v1",
};

export const schemathesisPath = () => pathOfTool(TOOL);

/** @param {(name: string) => string} logFor */
export const schemathesisForTests = (logFor) => installTool(TOOL, logFor);
