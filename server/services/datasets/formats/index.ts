import "server-only";

export { type FilePreview, type PreviewRow, previewFile, readDrafts } from "./drafts/read-drafts";
export { type OnSkipped, writeDrafts } from "./drafts/write-drafts";
export { type TrainingMethod, trainingLines } from "./json-formats";
export { fromBytes } from "./random-access";
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
