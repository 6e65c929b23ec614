import { existsSync } from "node:fs";
import { afterAll, describe } from "vitest";
import { seaweedfsPath } from "@/scripts/lib/testing/seaweedfs.mjs";
import { startSeaweedfs } from "@/server/platform/files/testing/seaweedfs";
import { describeFiles } from "./testing/describe-files";

const isThere = existsSync(seaweedfsPath());
const seaweedfs = isThere ? await startSeaweedfs() : undefined;
if (seaweedfs) process.env.FILES_URL = seaweedfs.url;
afterAll(() => seaweedfs?.stop());

describe.skipIf(!isThere)("file storage in an S3 bucket", () => describeFiles("s3"));
