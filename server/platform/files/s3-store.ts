import type { Readable } from "node:stream";
import type { MultipartUpload, S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { ServiceError } from "../errors";
import type { Bucket } from "./files-url";
import { type FileStore, isMissing, type StoredObject, undefinedIfMissing } from "./store";

/** S3 requires at least 5 MiB for all parts but the last; its maximum of 10,000 parts allows 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024;
const CONNECT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 60_000;
const RETRY_AFTER_SECONDS = 5;

/** Maps errors other than a missing object to `unavailable`: they are not the caller's fault. */
function explained(error: unknown) {
  if (isMissing(error) || (error as Error).name === "NoSuchUpload" || error instanceof ServiceError) return error;
  const message = "The file store is not responding as expected. Try again later.";
  return new ServiceError("unavailable", message, { cause: error, retryAfter: RETRY_AFTER_SECONDS });
}

/** Loaded only if a bucket is configured. */
const sdk = () => import("@aws-sdk/client-s3");

/**
 * Returns a file store in an S3-compatible bucket. An upload grows as a multipart upload. A remainder too small for a part is
 * stored next to it as a tail, named by its offset, so that a tail already absorbed into a part is ignored.
 */
export function s3Store({ bucket, prefix, endpoint, region }: Bucket): FileStore {
  const config: S3ClientConfig = {
    // Self-hosted servers need any region for signing; for Amazon, AWS_REGION may set it.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: "us-east-1" }),
    ...(region === undefined ? {} : { region }),
    // Not every S3-compatible server supports the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_TIMEOUT_MS, throwOnRequestTimeout: true },
  };
  let opened: Promise<S3Client> | undefined;
  const client = () => {
    opened ??= sdk().then(({ S3Client }) => new S3Client(config));
    return opened;
  };
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key });

  async function withClient<T>(
    work: (s3: S3Client, commands: Awaited<ReturnType<typeof sdk>>) => Promise<T>,
  ): Promise<T> {
    try {
      return await work(await client(), await sdk());
    } catch (error) {
      throw explained(error);
    }
  }

  const tailKey = (upload: string, after: number) => `${upload}.tail-${after}`;

  const multiparts = async (upload: string) =>
    (await multipartsUnder(upload)).filter(({ Key }) => Key === prefix + upload);

  async function partsOf(upload: string) {
    const [{ UploadId: id } = {}] = await multiparts(upload);
    const parts: { PartNumber: number; ETag: string; bytes: number }[] = [];
    if (id === undefined) return { id, parts, bytes: 0 };
    await withClient(async (s3, { paginateListParts }) => {
      for await (const page of paginateListParts({ client: s3 }, { ...at(upload), UploadId: id })) {
        for (const { PartNumber, ETag, Size } of page.Parts ?? [])
          parts.push({ PartNumber: PartNumber as number, ETag: ETag as string, bytes: Size as number });
      }
    });
    return { id, parts, bytes: parts.reduce((sum, part) => sum + part.bytes, 0) };
  }

  async function bytesOf(key: string) {
    const stream = await read(key).catch(undefinedIfMissing);
    return stream && Buffer.concat(await stream.toArray());
  }

  const put = (key: string, body: Uint8Array) =>
    withClient((s3, { PutObjectCommand }) => s3.send(new PutObjectCommand({ ...at(key), Body: body })));

  async function putPart(upload: string, id: string, PartNumber: number, body: Uint8Array) {
    const { ETag } = await withClient((s3, { UploadPartCommand }) =>
      s3.send(new UploadPartCommand({ ...at(upload), UploadId: id, PartNumber, Body: body })),
    );
    return { PartNumber, ETag: ETag as string };
  }

  async function beginMultipart(upload: string) {
    const { UploadId } = await withClient((s3, { CreateMultipartUploadCommand }) =>
      s3.send(new CreateMultipartUploadCommand(at(upload))),
    );
    return UploadId as string;
  }

  const remove = (key: string) =>
    withClient(async (s3, { DeleteObjectCommand }) => void (await s3.send(new DeleteObjectCommand(at(key)))));

  const copy = (from: string, to: string) =>
    withClient((s3, { CopyObjectCommand }) =>
      s3.send(new CopyObjectCommand({ ...at(to), CopySource: `${bucket}/${encodeURI(prefix + from)}` })),
    );

  const find = (key: string): Promise<StoredObject | undefined> =>
    withClient(async (s3, { HeadObjectCommand }) => {
      const found = await s3.send(new HeadObjectCommand(at(key)));
      return { key, bytes: found.ContentLength ?? 0, modifiedAt: found.LastModified?.getTime() ?? 0 };
    }).catch(undefinedIfMissing);

  const read: FileStore["read"] = (key, range) =>
    withClient(async (s3, { GetObjectCommand }) => {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const { Body } = await s3.send(new GetObjectCommand({ ...at(key), ...(Range ? { Range } : {}) }));
      return Body as Readable;
    });

  async function* pages(start: string, Delimiter?: string) {
    try {
      const { paginateListObjectsV2 } = await sdk();
      const params = { Bucket: bucket, Prefix: prefix + start, ...(Delimiter ? { Delimiter } : {}) };
      yield* paginateListObjectsV2({ client: await client() }, params);
    } catch (error) {
      throw explained(error);
    }
  }

  /** Lists names with this prefix, which need not end at a `/`. */
  async function* named(start: string): AsyncGenerator<StoredObject> {
    for await (const page of pages(start)) {
      for (const { Key, Size, LastModified } of page.Contents ?? [])
        yield { key: (Key as string).slice(prefix.length), bytes: Size ?? 0, modifiedAt: LastModified?.getTime() ?? 0 };
    }
  }

  const multipartsUnder = (start: string): Promise<MultipartUpload[]> =>
    withClient(async (s3, { ListMultipartUploadsCommand }) => {
      const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix + start }));
      return Uploads ?? [];
    });

  const abort = ({ Key, UploadId }: MultipartUpload) =>
    withClient((s3, { AbortMultipartUploadCommand }) =>
      s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })),
    ).catch((error) => {
      if ((error as Error).name !== "NoSuchUpload") throw error;
    });

  async function removeTails(upload: string) {
    for await (const { key } of named(`${upload}.tail-`)) await remove(key);
  }

  return {
    kind: "s3",
    find,
    read,
    remove,
    async offset(upload) {
      const { id, bytes } = await partsOf(upload);
      const completed = id === undefined ? await find(upload) : undefined;
      return completed?.bytes ?? bytes + ((await find(tailKey(upload, bytes)))?.bytes ?? 0);
    },
    async append(upload, chunks) {
      let { id, parts, bytes } = await partsOf(upload);
      let partNumber = parts.length + 1;
      const before = await bytesOf(tailKey(upload, bytes));
      const part = Buffer.allocUnsafe(PART_BYTES);
      let filled = before?.copy(part) ?? 0;
      const untouched = { bytes, filled };
      try {
        for await (const chunk of chunks) {
          for (let from = 0; from < chunk.length; ) {
            const taken = Math.min(PART_BYTES - filled, chunk.length - from);
            part.set(chunk.subarray(from, from + taken), filled);
            filled += taken;
            from += taken;
            if (filled < PART_BYTES) continue;
            id ??= await beginMultipart(upload);
            await putPart(upload, id, partNumber, part);
            partNumber += 1;
            bytes += filled;
            filled = 0;
          }
        }
      } finally {
        if (filled > 0 && (bytes !== untouched.bytes || filled !== untouched.filled))
          await put(tailKey(upload, bytes), part.subarray(0, filled));
      }
    },
    async complete(upload) {
      const { id, parts, bytes } = await partsOf(upload);
      const tail = tailKey(upload, bytes);
      if (id === undefined) {
        if (await find(upload)) return removeTails(upload); // already completed
        if (await find(tail)) await copy(tail, upload);
        else await put(upload, new Uint8Array());
        return removeTails(upload);
      }
      const rest = await bytesOf(tail);
      const all = rest ? [...parts, await putPart(upload, id, parts.length + 1, rest)] : parts;
      const Parts = all.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }));
      await withClient((s3, { CompleteMultipartUploadCommand }) =>
        s3.send(new CompleteMultipartUploadCommand({ ...at(upload), UploadId: id, MultipartUpload: { Parts } })),
      );
      await removeTails(upload);
    },
    async move(upload, key) {
      await copy(upload, key).catch(async (error) => {
        if (!isMissing(error) || !(await find(key))) throw error;
      });
      await remove(upload);
    },
    async abandon(upload) {
      for (const one of await multiparts(upload)) await abort(one);
      await removeTails(upload);
      await remove(upload);
    },
    async *list(start) {
      yield* named(start);
      for (const { Key, Initiated } of await multipartsUnder(start))
        yield { key: (Key as string).slice(prefix.length), bytes: 0, modifiedAt: Initiated?.getTime() ?? 0 };
    },
    async *projects() {
      for await (const page of pages("", "/"))
        for (const { Prefix = "" } of page.CommonPrefixes ?? []) yield Prefix.slice(prefix.length, -1);
    },
    async removeProject(project) {
      for (const one of await multipartsUnder(`${project}/`)) await abort(one);
      for await (const { key } of named(`${project}/`)) await remove(key);
    },
  };
}
