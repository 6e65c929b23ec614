import { createServer } from "node:net";
import { SMTPServer } from "smtp-server";

export type Received = { from: string; to: string[]; headers: string; text: string; html: string; raw: string };

/** Decodes quoted-printable. */
const plain = (part: string) =>
  Buffer.from(
    part
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  )
    .toString("utf8")
    .replace(/\r\n/g, "\n");

function read(raw: string): Pick<Received, "headers" | "text" | "html" | "raw"> {
  const [headers = "", ...body] = raw.split("\r\n\r\n");
  const part = (type: string) => {
    const parts = body.join("\r\n\r\n").split(/^--.*\r\n/m);
    const found = parts.find((one) => one.includes(`Content-Type: ${type}`)) ?? "";
    return plain(found.slice(found.indexOf("\r\n\r\n") + 4));
  };
  return { headers, text: part("text/plain"), html: part("text/html"), raw };
}

/** A mail server's verdict on an e-mail: `null` accepts it, otherwise this reply rejects it. */
export type Verdict = { code: number; words: (raw: string) => string } | null;

/** For tests: starts a real mail server on loopback. */
export async function startMailServer({ port = 0, user, pass }: { port?: number; user?: string; pass?: string } = {}) {
  const received: Received[] = [];
  let verdict: Verdict = null;
  let tries = 0;
  const server = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: user === undefined ? ["STARTTLS", "AUTH"] : ["STARTTLS"],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth: (auth, _, done) =>
      auth.username === user && auth.password === pass
        ? done(null, { user: auth.username })
        : done(new Error("No such user")),
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        tries++;
        const raw = Buffer.concat(parts).toString("utf8");
        if (verdict) return done(Object.assign(new Error(verdict.words(raw)), { responseCode: verdict.code }));
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...read(raw) });
        done();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: taken } = server.server.address() as { port: number };
  return {
    port: taken,
    url: `smtp://${user === undefined ? "" : `${user}:${pass}@`}127.0.0.1:${taken}`,
    received,
    /** Number of e-mails submitted, accepted or not. */
    tries: () => tries,
    respondWith: (given: Verdict) => {
      verdict = given;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Returns a port without a listener. */
export const closedPort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
