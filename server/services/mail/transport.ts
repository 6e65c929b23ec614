import { env } from "@/env";

/** A mail server that takes longer is treated as down. */
const PATIENCE_MS = 20_000;

type Message = {
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  date: Date;
};

/**
 * Why a mail server rejected an e-mail, by codes only: the server's message may quote the e-mail with its link, and job
 * errors are stored and logged.
 */
export class MailProblem extends Error {
  override name = "MailProblem";
  constructor(
    code: string,
    reply: number | undefined,
    /** Whether retrying is pointless. */
    readonly permanent: boolean,
  ) {
    super(`The mail server did not accept the e-mail (${[code, reply].filter(Boolean).join(" ")}).`);
  }
}

/** Submits an e-mail to the mail server; resolves when it is accepted, throws `MailProblem` otherwise. */
export async function deliver(message: Message): Promise<void> {
  // Loaded lazily: a web process only queues e-mails.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url: env().SMTP_URL as string,
    ...(sendsPassword() ? { requireTLS: true } : {}),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({ ...message, headers: { "Auto-Submitted": "auto-generated" } });
  } catch (error) {
    throw problemOf(error);
  } finally {
    transport.close();
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;

/** Credentials are sent over an encrypted connection or not at all. */
function sendsPassword() {
  const { username, hostname } = new URL(env().SMTP_URL as string);
  return username !== "" && !LOOPBACK.test(hostname);
}

/** A problem with the recipient or the content is permanent; one with the server or its settings can be fixed. */
const LASTING = new Set(["RCPT TO", "DATA"]);

function problemOf(error: unknown): MailProblem {
  const { code, command, responseCode } = (error ?? {}) as Partial<
    Record<"code" | "command" | "responseCode", unknown>
  >;
  const name = typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? code : "ESEND";
  const reply = typeof responseCode === "number" ? responseCode : undefined;
  return new MailProblem(name, reply, LASTING.has(String(command)) && reply !== undefined && reply >= 500);
}
