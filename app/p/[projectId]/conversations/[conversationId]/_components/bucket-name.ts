/** A usage bucket's name as people say it: `cache_read_input_tokens` → `Cache read input tokens`. */
export function bucketName(bucket: string) {
  const words = bucket.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
