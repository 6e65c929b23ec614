import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { freePort } from "@/scripts/lib/database/postgres.mjs";
import { seaweedfsPath } from "@/scripts/lib/testing/seaweedfs.mjs";

const USER = { accessKeyId: "whetstone-test", secretAccessKey: "not-a-secret" };
const STARTS_WITHIN_MS = 60_000;
const BUCKET = "files";

/** Starts a SeaweedFS with one bucket and sets the AWS variables to its credentials. */
export async function startSeaweedfs() {
  const folder = await mkdtemp(path.join(tmpdir(), "whetstone-s3-"));
  const [data, config] = [path.join(folder, "data"), path.join(folder, "s3.json")];
  await mkdir(data);
  const credentials = [{ accessKey: USER.accessKeyId, secretKey: USER.secretAccessKey }];
  await writeFile(config, JSON.stringify({ identities: [{ name: "test", credentials, actions: ["Admin"] }] }));

  const port = await freePort();
  const others = ["master.port", "master.port.grpc", "volume.port", "volume.port.grpc"];
  const grpc = ["filer.port", "filer.port.grpc", "s3.port.grpc"];
  const taken: string[] = [];
  for (const name of [...others, ...grpc]) taken.push(`-${name}=${await freePort()}`);
  const child = spawn(
    seaweedfsPath(),
    [
      "server",
      `-dir=${data}`,
      "-ip=127.0.0.1",
      "-ip.bind=127.0.0.1",
      "-filer",
      "-s3",
      `-s3.port=${port}`,
      `-s3.config=${config}`,
      "-s3.port.iceberg=0",
      "-s3.port.lance=0",
      "-master.volumeSizeLimitMB=512",
      "-volume.preStopSeconds=0",
      ...taken,
    ],
    { stdio: "ignore" },
  );
  const stop = () => child.kill("SIGKILL");
  process.once("exit", stop);
  const endpoint = `http://127.0.0.1:${port}`;
  // biome-ignore lint/style/noProcessEnv: the SDK looks for credentials there
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: USER.accessKeyId, AWS_SECRET_ACCESS_KEY: USER.secretAccessKey });
  await makeBucket(endpoint, child);

  return {
    url: `s3://${BUCKET}/whetstone?endpoint=${endpoint}`,
    async stop() {
      process.off("exit", stop);
      const gone = once(child, "exit");
      stop();
      await gone;
      await rm(folder, { recursive: true });
    },
  };
}

async function makeBucket(endpoint: string, child: ChildProcess) {
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true, maxAttempts: 1 });
  const until = Date.now() + STARTS_WITHIN_MS;
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
      break;
    } catch (error) {
      if (child.exitCode !== null || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  client.destroy();
}
