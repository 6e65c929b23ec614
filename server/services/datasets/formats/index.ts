import "server-only";

export { type TrainingMethod, trainingLines } from "./json-formats";
export { fromBytes } from "./random-access";
export { type FilePreview, type PreviewRow, previewFile, readDrafts } from "./read-drafts";
export {
  type ChatMessage,
  type Draft,
  type DraftPayload,
  type ExampleRow,
  type Mapping,
  type RandomAccess,
  type ReadItem,
  type ReadOptions,
  type Source,
  UnreadableFile,
} from "./types";
export { type OnSkipped, writeDrafts } from "./write-drafts";
