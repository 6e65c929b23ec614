import { env } from "@/env";

/** A mail server that says nothing for so long is as good as down. */
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
 * Why a mail server did not take an e-mail, by codes only: its own words may quote the e-mail with its link, and an
 * error of a job is stored and logged.
 */
export class MailProblem extends Error {
  override name = "MailProblem";
  constructor(
    code: string,
    reply: number | undefined,
    /** Whether the server will never take it, however often it is tried. */
    readonly permanent: boolean,
  ) {
    super(`The mail server did not take the e-mail (${[code, reply].filter(Boolean).join(" ")}).`);
  }
}

/** Hands an e-mail to the mail server; resolves when it has taken it. */
export async function deliver(message: Message): Promise<void> {
  // Loaded where it is used: a web process only queues.
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

/** A password goes over the network encrypted or not at all. */
function sendsPassword() {
  const { username, hostname } = new URL(env().SMTP_URL as string);
  return username !== "" && !LOOPBACK.test(hostname);
}

/** What is wrong with this recipient or these words stays wrong; a server and its settings can be mended. */
const LASTING = new Set(["RCPT TO", "DATA"]);

function problemOf(error: unknown): MailProblem {
  const { code, command, responseCode } = (error ?? {}) as Partial<
    Record<"code" | "command" | "responseCode", unknown>
  >;
  const name = typeof code === "string" && /^[A-Z_]{1,40}$/.test(code) ? code : "ESEND";
  const reply = typeof responseCode === "number" ? responseCode : undefined;
  return new MailProblem(name, reply, LASTING.has(String(command)) && reply !== undefined && reply >= 500);
}
