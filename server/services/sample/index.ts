import "server-only";

export { findSample, loadedSampleNote, loadSample, loadSampleFor } from "./load-sample";
export { failSampleLoad, runSampleLoad, unfinishedSamples } from "./run-load";
