const ZERO = 0x30;
const digitAt = (digits: string, at: number) => digits.charCodeAt(at) - ZERO;

/** Returns whether digits pass the Luhn check of payment cards (ISO/IEC 7812-1). */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, twice = false; at >= 0; at--, twice = !twice) {
    const digit = digitAt(digits, at);
    sum += twice ? (digit > 4 ? 2 * digit - 9 : 2 * digit) : digit;
  }
  return sum % 10 === 0;
}

/** Returns digits and capital letters (A = 10) modulo 97, as IBANs and several national numbers use it. */
export function modulo97(text: string): number {
  let remainder = 0;
  for (let at = 0; at < text.length; at++) {
    const value = Number.parseInt(text[at]!, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** Returns the sum of the digits times their weights. */
export function weighted(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += digitAt(digits, at) * weights[at]!;
  return sum;
}

const TIMES = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];
const PERMUTED = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** Returns whether digits pass the Verhoeff check (Aadhaar). */
export function verhoeff(digits: string): boolean {
  let check = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digitAt(digits, digits.length - 1 - at);
    check = Number(TIMES[check]![Number(PERMUTED[at % 8]![digit])]);
  }
  return check === 0;
}

/** Returns whether digits pass the check of ISO 7064 MOD 11,10 (German tax numbers). */
export function modulo11And10(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (digitAt(digits, at) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}
