import { expect, test } from "vitest";
import { bytesOf, formatOf, mediaOf } from "./media-of";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const inline = (type: string | null, name: string | null = null) => ({ kind: "inline", base64: PNG, type, name });

test.each([
  ["OpenAI's chat", { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }, inline("image/png")],
  ["OpenAI's responses", { type: "input_image", image_url: `data:image/png;base64,${PNG}` }, inline("image/png")],
  ["OpenAI's audio", { type: "input_audio", input_audio: { data: PNG, format: "wav" } }, inline("wav")],
  [
    "OpenAI's files",
    { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PNG}` } },
    inline("application/pdf", "a.pdf"),
  ],
  ["Anthropic", { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }, inline("image/png")],
  ["Gemini", { type: "file", inlineData: { mimeType: "image/png", data: PNG } }, inline("image/png")],
  ["Bedrock", { type: "image", image: { format: "png", source: { bytes: PNG } } }, inline("png")],
  ["the AI SDK", { type: "file", mediaType: "image/png", filename: "b.png", data: PNG }, inline("image/png", "b.png")],
  [
    "Genkit",
    { type: "file", media: { contentType: "image/png", url: `data:image/png;base64,${PNG}` } },
    inline("image/png"),
  ],
  ["OpenTelemetry", { type: "blob", modality: "image", mime_type: "image/png", content: PNG }, inline("image/png")],
  ["LangChain", { type: "image", source_type: "base64", mime_type: "image/png", data: PNG }, inline("image/png")],
])("a file is found as %s sends it", (_, part, media) => {
  expect(mediaOf(part)).toEqual(media);
});

test("an address is found and stays text; what is no file is none", () => {
  const url = "https://example.com/cat.png";
  expect(mediaOf({ type: "image_url", image_url: { url } })).toMatchObject({ kind: "foreign", url });
  expect(mediaOf({ type: "image", source: { type: "url", url } })).toMatchObject({ kind: "foreign", url });
  expect(mediaOf({ type: "uri", modality: "image", uri: url })).toMatchObject({ kind: "foreign", url });
  expect(mediaOf({ type: "image_url", image_url: { url: "javascript:alert(1)" } })).toBeNull();
  expect(mediaOf({ type: "image_url", image_url: { url: "gs://bucket/cat.png" } })).toBeNull();
  expect(mediaOf({ type: "tool_reference", content: "an ordinary sentence that is longer than a word" })).toBeNull();
  expect(mediaOf({ type: "data", data: "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop" })).toBeNull();
});

test("a file that was cut when it was stored is known as such", () => {
  const data = `${PNG}… [cut here: 9000 more characters]`;
  expect(mediaOf({ type: "image", source: { media_type: "image/png", data } })).toMatchObject({ kind: "cut" });
  expect(mediaOf({ type: "image_url", image_url: `data:image/png;base64,${data}` })).toMatchObject({ kind: "cut" });
});

test("what is shown is decided by the first bytes, whatever it is called", () => {
  const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
  expect(formatOf(bytesOf(PNG)!)?.type).toBe("image/png");
  expect(formatOf(ascii("RIFF\0\0\0\0WEBPVP8 "))?.type).toBe("image/webp");
  expect(formatOf(ascii("RIFF\0\0\0\0WAVEfmt "))?.type).toBe("audio/wav");
  expect(formatOf(ascii("<svg onload='alert(1)'>"))).toBeNull();
  expect(formatOf(ascii("%PDF-1.7"))).toBeNull();
  expect(formatOf(ascii("<!doctype html>"))).toBeNull();
  expect(bytesOf("not base64!")).toBeNull();
});
