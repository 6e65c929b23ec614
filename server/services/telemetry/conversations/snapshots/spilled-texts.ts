import { randomUUID } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TextStore } from "../../otlp";

/** Shorter texts are kept in memory: a reference takes as much. */
const SHORT = 256;
const BUFFER_BYTES = 1024 * 1024;
/** As in V8: keeps what is not valid Unicode, such as half of a surrogate pair. */
const ENCODING = "utf16le";

/**
 * Keeps texts in a temporary file, so that the memory of a conversation is that of its facts, however much was said in it. The
 * file is deleted while it is open, so that nothing of it is left after a crash. Call `close` when done.
 */
export class SpilledTexts implements TextStore {
  private readonly file = openUnnamed();
  private readonly prefix = `\u{F0000}${randomUUID()}:`;
  private readonly references = new RegExp(`${this.prefix}(\\d+):(\\d+);`, "g");
  private readonly buffer = Buffer.alloc(BUFFER_BYTES);
  private buffered = 0;
  private written = 0;

  put(text: string): string {
    if (text.length < SHORT) return text;
    const bytes = Buffer.from(text, ENCODING);
    if (this.buffered + bytes.length > BUFFER_BYTES) this.flush();
    const position = this.written + this.buffered;
    if (bytes.length > BUFFER_BYTES) this.write(bytes);
    else this.buffered += bytes.copy(this.buffer, this.buffered);
    return `${this.prefix}${position}:${bytes.length};`;
  }

  get(text: string): string {
    if (!text.includes(this.prefix)) return text;
    this.flush();
    return text.replace(this.references, (_, position, length) => this.read(Number(position), Number(length)));
  }

  close() {
    closeSync(this.file);
  }

  private flush() {
    this.write(this.buffer.subarray(0, this.buffered));
    this.buffered = 0;
  }

  private write(bytes: Uint8Array) {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.file, bytes, done, bytes.length - done, this.written + done);
    this.written += bytes.length;
  }

  private read(position: number, length: number): string {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.file, bytes, done, length - done, position + done);
      if (read === 0) throw new Error("The temporary file of a conversation's texts is shorter than what was written.");
      done += read;
    }
    return bytes.toString(ENCODING);
  }
}

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), "whetstone-texts-"));
  try {
    return openSync(join(folder, "texts"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
