import "server-only";

export { PlaceholderMask } from "./placeholder-mask";
