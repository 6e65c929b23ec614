import { luhn, modulo11And10, modulo97, verhoeff, weighted } from "./checksums";

/**
 * A country's number for a person, recognised among digit groups. `label` is required near those whose form and check
 * digit alone occur by chance in other numbers.
 */
export type NationalId = { shape: RegExp; valid: (digits: string) => boolean; label?: RegExp };

const month = (digits: string, at: number) => inRange(digits.slice(at, at + 2), 1, 12);
const day = (digits: string, at: number) => inRange(digits.slice(at, at + 2), 1, 31);
const inRange = (text: string, low: number, high: number) => Number(text) >= low && Number(text) <= high;
const allEqual = (digits: string) => digits === digits[0]!.repeat(digits.length);

const CPF_FIRST = [10, 9, 8, 7, 6, 5, 4, 3, 2];
const CPF_SECOND = [11, ...CPF_FIRST];
const checkDigit11 = (sum: number) => (sum % 11 < 2 ? 0 : 11 - (sum % 11));

/** Written in digits and separators. */
export const NUMBER_IDS: readonly NationalId[] = [
  // US social security number; area 000, 666 and 9xx, group 00 and serial 0000 are never issued
  {
    shape: /^\d{3}([- ])\d{2}\1\d{4}$/,
    valid: (digits) => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits),
  },
  {
    shape: /^\d{9}$/,
    valid: (digits) => /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(digits),
    label: /\b(?:ssn|social[ -]security|social sec|socials?|security number)\b/i,
  },
  // US taxpayer number (ITIN)
  { shape: /^9\d{2}-[5-9]\d-\d{4}$/, valid: () => true },
  // Brazil: CPF
  {
    shape: /^\d{3}\.\d{3}\.\d{3}-\d{2}$|^\d{11}$/,
    valid: (digits) =>
      !allEqual(digits) &&
      checkDigit11(weighted(digits, CPF_FIRST)) === Number(digits[9]) &&
      checkDigit11(weighted(digits, CPF_SECOND)) === Number(digits[10]),
    label: /\bcpf\b|[\d]\.\d{3}\.\d{3}-\d/i,
  },
  // United Kingdom: NHS number
  {
    shape: /^\d{3}[ -]?\d{3}[ -]?\d{4}$/,
    valid: (digits) => (11 - (weighted(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(digits[9]),
    label: /\bnhs\b|national health/i,
  },
  // France: numéro de sécurité sociale
  {
    shape: /^[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}$/,
    valid: (digits) => 97 - Number(BigInt(digits.slice(0, 13)) % 97n) === Number(digits.slice(13)),
  },
  // Poland: PESEL
  {
    shape: /^\d{11}$/,
    valid: (digits) =>
      day(digits, 4) && (10 - (weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10 === Number(digits[10]),
    label: /\bpesel\b/i,
  },
  // Netherlands: BSN
  {
    shape: /^\d{9}$|^\d{4}\.\d{2}\.\d{3}$/,
    valid: (digits) => !allEqual(digits) && weighted(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    label: /\b(?:bsn|burgerservicenummer|sofi-?nummer)\b/i,
  },
  // Germany: Steuer-ID
  {
    shape: /^[1-9]\d ?\d{3} ?\d{3} ?\d{3}$/,
    valid: modulo11And10,
    label: /steuer-?\s?(?:id|identifikation|nummer)|\btax(?:payer)? id/i,
  },
  // Sweden: personnummer
  {
    shape: /^(?:19|20)?\d{6}[-+]\d{4}$/,
    valid: (digits) => {
      const short = digits.slice(-10);
      return month(short, 2) && inRange(short.slice(4, 6), 1, 91) && luhn(short);
    },
  },
  // Denmark: CPR; Norway: fødselsnummer
  { shape: /^\d{6}-?\d{4}$/, valid: (digits) => day(digits, 0) && month(digits, 2), label: /\bcpr\b/i },
  {
    shape: /^\d{6} ?\d{5}$/,
    valid: (digits) =>
      checkDigit11Strict(weighted(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2])) === Number(digits[9]) &&
      checkDigit11Strict(weighted(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2])) === Number(digits[10]),
    label: /fødselsnummer|personnummer/i,
  },
  // Switzerland: AHV
  {
    shape: /^756\.?\d{4}\.?\d{4}\.?\d{2}$/,
    valid: (digits) => (10 - (weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(digits[12]),
  },
  // Belgium: rijksregisternummer
  {
    shape: /^\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}$/,
    valid: (digits) => {
      const check = Number(digits.slice(9));
      return 97 - (Number(digits.slice(0, 9)) % 97) === check || 97 - (Number(`2${digits.slice(0, 9)}`) % 97) === check;
    },
  },
  // India: Aadhaar
  { shape: /^[2-9]\d{3} \d{4} \d{4}$/, valid: verhoeff },
  { shape: /^[2-9]\d{11}$/, valid: verhoeff, label: /\baadhaa?r\b|\buidai?\b|आधार/i },
  // Canada: social insurance number
  {
    shape: /^\d{3}[- ]?\d{3}[- ]?\d{3}$/,
    valid: (digits) => !digits.startsWith("0") && luhn(digits),
    label: /\bsin\b|social insurance/i,
  },
  // Australia: tax file number, Medicare
  {
    shape: /^\d{3} ?\d{3} ?\d{3}$/,
    valid: (digits) => weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    label: /\btfn\b|tax file/i,
  },
  {
    shape: /^[2-6]\d{3} ?\d{5} ?\d$/,
    valid: (digits) => weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === Number(digits[8]),
    label: /\bmedicare\b/i,
  },
  // South Korea: resident registration number
  { shape: /^\d{6}-[1-8]\d{6}$/, valid: (digits) => month(digits, 2) && day(digits, 4) },
  // Japan: My Number
  {
    shape: /^\d{4}[- ]?\d{4}[- ]?\d{4}$/,
    valid: (digits) => checkDigit11(weighted(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2])) === Number(digits[11]),
    label: /マイナンバー|個人番号|my number/i,
  },
  // Turkey: T.C. kimlik no
  {
    shape: /^[1-9]\d{10}$/,
    valid: (digits) => weighted(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) % 10 === Number(digits[10]),
    label: /kimlik|\btckn\b/i,
  },
];

function checkDigit11Strict(sum: number): number {
  return (11 - (sum % 11)) % 11;
}

const DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";
const dniLetter = (digits: string) => DNI_LETTERS[Number(digits) % 23];
const HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY";
const CHINESE_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];

const FISCALE_ODD: Record<string, number> = Object.fromEntries(
  [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23].map((value, at) => [
    String.fromCharCode(0x41 + at),
    value,
  ]),
);
function codiceFiscale(text: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const character = text[at]!;
    const isDigit = character >= "0" && character <= "9";
    const even = isDigit ? Number(character) : character.charCodeAt(0) - 0x41;
    sum += at % 2 === 1 ? even : FISCALE_ODD[isDigit ? String.fromCharCode(0x41 + Number(character)) : character]!;
  }
  return String.fromCharCode(0x41 + (sum % 26)) === text[15];
}

/** Written with letters. Tried on runs of capitals and digits. */
export const LETTERED_IDS: readonly NationalId[] = [
  // Spain: DNI and NIE
  { shape: /^\d{8}-?[A-Z]$/, valid: (text) => dniLetter(text.slice(0, 8)) === text[8] },
  {
    shape: /^[XYZ]-?\d{7}-?[A-Z]$/,
    valid: (text) => dniLetter(`${"XYZ".indexOf(text[0]!)}${text.slice(1, 8)}`) === text[8],
  },
  // Italy: codice fiscale
  { shape: /^[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]$/, valid: codiceFiscale },
  // Finland: henkilötunnus
  {
    shape: /^[0-3]\d[01]\d{3}[-+A]\d{3}[0-9A-Y]$/,
    valid: (text) => HETU_LETTERS[Number(text.slice(0, 6) + text.slice(-4, -1)) % 31] === text.at(-1),
  },
  // United Kingdom: National Insurance number
  {
    shape: /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/,
    valid: () => true,
    label: /national insurance|\bni(?:no)?\b|\bn\.i\./i,
  },
  // India: PAN
  { shape: /^[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]$/, valid: () => true, label: /\bpan\b|permanent account|\btax\b/i },
  // China: resident identity card
  {
    shape: /^[1-9]\d{5}(?:19|20)\d{9}[\dX]$/,
    valid: (text) =>
      month(text, 10) && day(text, 12) && "10X98765432"[weighted(text, CHINESE_WEIGHTS) % 11] === text[17],
  },
  // Mexico: CURP
  { shape: /^[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z\d]\d$/, valid: (text) => month(text, 6) && day(text, 8) },
  // Singapore: NRIC
  { shape: /^[STFG]\d{7}[A-Z]$/, valid: nric },
];

function nric(text: string): boolean {
  const first = text[0]!;
  const sum = weighted(text.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + (first === "T" || first === "G" ? 4 : 0);
  const letters = first === "S" || first === "T" ? "JZIHGFEDCBA" : "XWUTRQPNMLK";
  return letters[sum % 11] === text[8];
}

/** Length of an IBAN by country (SWIFT registry). */
const IBAN_LENGTHS: Record<string, number> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 " +
    "FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 " +
    "LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 " +
    "SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
export const ibanLength = (country: string): number | undefined => IBAN_LENGTHS[country];
export const validIban = (iban: string): boolean => modulo97(iban.slice(4) + iban.slice(0, 4)) === 1;
