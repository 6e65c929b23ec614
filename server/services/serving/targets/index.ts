import "server-only";

export { findTarget, type ServedDeployment, servedNames, type Target } from "./find-target";
