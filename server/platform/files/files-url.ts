/** A bucket, as `FILES_URL` names it. */
export type Bucket = { bucket: string; prefix: string; endpoint: string | undefined; region: string | undefined };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const KNOWN = ["endpoint", "region"];

/** Parses `s3://bucket/prefix?endpoint=https://…&region=…`; throws a message that is meant to follow the variable's name. */
export function parseFilesUrl(text: string): Bucket {
  const url = text.startsWith("s3://") && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Error("must look like s3://bucket/prefix?endpoint=https://s3.example.com");
  if (url.username || url.password) {
    throw new Error("must not contain credentials: set them as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  if (!BUCKET.test(url.hostname) || url.port) throw new Error("must name a bucket after s3://");
  const unknown = [...url.searchParams.keys()].filter((name) => !KNOWN.includes(name));
  if (unknown.length > 0) throw new Error(`does not support ${unknown.join(", ")}, only ${KNOWN.join(" and ")}`);
  const endpoint = url.searchParams.get("endpoint") ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\/[^/?#]/.test(endpoint)) {
    throw new Error("must have an endpoint that begins with https:// or http://");
  }
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
  return {
    bucket: url.hostname,
    prefix: prefix === "" ? "" : `${prefix}/`,
    endpoint,
    region: url.searchParams.get("region") ?? undefined,
  };
}
