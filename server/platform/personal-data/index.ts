export { findPersonalData } from "./find-personal-data";
export type { PersonalData, PersonalDataKind } from "./types";
