export type PersonalDataKind =
  | "e-mail address"
  | "phone number"
  | "card number"
  | "IBAN"
  | "national id"
  | "IP address"
  | "date of birth"
  | "document number"
  | "account number"
  | "website";

/** Personal data in a text at `[start, end)`. `value` is its normal form, which spelling and separators do not change. */
export type PersonalData = { kind: PersonalDataKind; start: number; end: number; value: string };
