/** A request in the trainer's contract: a path below its `/v1`, such as `/jobs/job_1`. */
export type TrainerCall = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  path: string;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  json?: unknown;
  /** Sent in the body as `secret`, and never stored in plain text. */
  secret?: string;
  /** The same as `download_secret`, where `secret` has another use. */
  downloadSecret?: string | undefined;
  timeoutMs?: number;
  /** Aborts the call, and with it what the trainer does for it. */
  signal?: AbortSignal;
  /** Counts the call towards the project's share of outbound calls. */
  projectId: string;
};

export type TrainerReply = { status: number; headers: Record<string, string>; json: unknown };
export type TrainerDownload = {
  status: number;
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
};

/** A machine that trains, and fetches our calls. */
export type TrainerClient = {
  readonly trainerId: string;
  /** Returns a successful reply; throws `TrainerRefused` for any other, and `TrainerUnreachable` without one. */
  request(call: TrainerCall): Promise<TrainerReply>;
  /** Returns a file as it arrives. */
  download(call: TrainerCall): Promise<TrainerDownload>;
  /**
   * Returns a reply of any kind as it arrives, with long pauses allowed: tokens take time. An older agent's arrives as a
   * whole. Throws like `request`.
   */
  stream(call: TrainerCall): Promise<TrainerDownload>;
  /** Sends a frozen manifest unless the trainer has it. An agent fetches it itself when its job needs it. */
  sendManifest(manifest: {
    projectId: string;
    sha256: string;
    bytes: number;
    content: () => AsyncIterable<Uint8Array>;
  }): Promise<void>;
};

/** The trainer's error object, with the fields of its contract in camelCase. */
export type TrainerProblem = {
  code: string;
  message: string;
  param: string | null;
  retryable: boolean;
  blame: string | null;
  phase: string | null;
  hint: string | null;
  logTail: string[];
};

/** The trainer did not answer: nothing is known about what it is doing. */
export class TrainerUnreachable extends Error {
  override readonly name = "TrainerUnreachable";
}

/** The trainer refused a request. */
export class TrainerRefused extends Error {
  override readonly name = "TrainerRefused";
  constructor(
    readonly status: number,
    readonly problem: TrainerProblem,
  ) {
    super(problem.message);
  }
}
