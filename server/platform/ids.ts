import { v7 } from "uuid";

/** The type prefix of every public id. */
export type IdPrefix =
  | "usr"
  | "ses"
  | "prj"
  | "key"
  | "inv"
  | "mail"
  | "conn"
  | "rk"
  | "aud"
  | "conv"
  | "rcp"
  | "del"
  | "bak"
  | "log"
  | "fnd"
  | "occ"
  | "run"
  | "bf"
  | "wi"
  | "mp"
  | "rpr"
  | "evt"
  | "jr"
  | "ds"
  | "ex"
  | "job"
  | "ckpt"
  | "tc"
  | "dep"
  | "exp"
  | "fil";

/** Returns an opaque id whose body is time-ordered (UUID v7), so that keyset pages and B-trees stay local. */
export const newId = (prefix: IdPrefix) => `${prefix}_${v7().replaceAll("-", "")}`;
