import { problemOf } from "@/app/_lib/problem";

type Uploaded = { id: string };

/** Returns an error response in the shape that screens show. */
const refusalOf = (text: string) => {
  try {
    const problem: unknown = JSON.parse(text);
    return { data: { problem } };
  } catch {
    return { data: {} };
  }
};

/** Uploads a local file and reports the fraction sent so far. `fetch` does not report upload progress. */
export const uploadFile = (
  projectId: string,
  file: File,
  { onProgress, signal }: { onProgress: (share: number) => void; signal: AbortSignal },
): Promise<Uploaded> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/v1/projects/${projectId}/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onload = () =>
      request.status === 201
        ? resolve((JSON.parse(request.responseText) as { file: Uploaded }).file)
        : reject(
            Object.assign(
              new Error(problemOf(refusalOf(request.responseText)).detail),
              refusalOf(request.responseText),
            ),
          );
    request.onerror = () => reject(new Error("The connection was lost while the file was being sent. Try again."));
    request.onabort = () => reject(new Error("The upload was stopped."));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });
