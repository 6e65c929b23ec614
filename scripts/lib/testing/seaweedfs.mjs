// @ts-check
import { installTool, pathOfTool } from "./python-tool.mjs";

/** An S3-compatible server in a single program. */
const TOOL = {
  name: "seaweedfs",
  program: "weed",
  requirements: "server/platform/files/testing/requirements.txt",
  purpose: "The tests of files in a bucket",
};

export const seaweedfsPath = () => pathOfTool(TOOL);

/** @param {(name: string) => string} logFor */
export const seaweedfsForTests = (logFor) => installTool(TOOL, logFor);
