// @ts-check
import { installTool, pathOfTool } from "./python-tool.mjs";

/** A Python that has OpenAI's own client. */
const TOOL = {
  name: "openai-python",
  program: "python",
  requirements: "server/services/serving/deployments/testing/requirements.txt",
  purpose: "The tests of the gateway with OpenAI's Python client",
};

export const openAiPythonPath = () => pathOfTool(TOOL);

/** @param {(name: string) => string} logFor */
export const openAiPythonForTests = (logFor) => installTool(TOOL, logFor);
