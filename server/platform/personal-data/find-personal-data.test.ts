import { describe, expect, test } from "vitest";
import { findPersonalData } from "./find-personal-data";

const found = (text: string) => findPersonalData(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);

describe("personal data with a recognisable format", () => {
  test.each([
    ["Reach me at Anna.Lind+shop@mail.example.se, please", "e-mail address", "Anna.Lind+shop@mail.example.se"],
    ["Schreiben Sie an jürgen@müller.de", "e-mail address", "jürgen@müller.de"],
    ["I paid with 4111 1111 1111 1111 last week", "card number", "4111 1111 1111 1111"],
    ["amex 3782-822463-10005", "card number", "3782-822463-10005"],
    ["Mi tarjeta es la 6304000000000000", "card number", "6304000000000000"],
    ["IBAN: DE89 3704 0044 0532 0130 00", "IBAN", "DE89 3704 0044 0532 0130 00"],
    ["send it to gb82west12345698765432 today", "IBAN", "gb82west12345698765432"],
    ["My SSN is 219-09-9999.", "national id", "219-09-9999"],
    ["social security number 219099999", "national id", "219099999"],
    ["CPF 529.982.247-25", "national id", "529.982.247-25"],
    ["Mi DNI es 12345678Z", "national id", "12345678Z"],
    ["Codice fiscale RSSMRA85T10A562S", "national id", "RSSMRA85T10A562S"],
    ["PESEL: 44051401359", "national id", "44051401359"],
    ["mein Steuer-ID: 86095742719", "national id", "86095742719"],
    ["hetu 131052-308T", "national id", "131052-308T"],
    ["身份证号码 11010519491231002X", "national id", "11010519491231002X"],
    ["Logged in from 203.0.113.77", "IP address", "203.0.113.77"],
    ["host 2001:db8:85a3::8a2e:370:7334 is up", "IP address", "2001:db8:85a3::8a2e:370:7334"],
    ["call +49 (0) 30 901820 tomorrow", "phone number", "+49 (0) 30 901820"],
    ["It's (212) 555-0147", "phone number", "(212) 555-0147"],
    ["work: 212-555-0147 x32", "phone number", "212-555-0147 x32"],
    ["Appelez-moi au 06 12 34 56 78", "phone number", "06 12 34 56 78"],
    ["Mein Handy: 0171 2345678", "phone number", "0171 2345678"],
    ["Phone:\n60-56-85-91", "phone number", "60-56-85-91"],
    ["my new number is 467 3395", "phone number", "467 3395"],
    ["Ada Brown\n78 651 450 office", "phone number", "78 651 450"],
    ["they're not answering at 416 60 039", "phone number", "416 60 039"],
    ["Home: 71-33-52-22", "phone number", "71-33-52-22"],
    ["You can get hold of Anna on 27601895 before noon.", "phone number", "27601895"],
    ["He can be reached under 18500474395 at any time.", "phone number", "18500474395"],
    ["Office: 02686563551", "phone number", "02686563551"],
    ["T: 27 4834-7824", "phone number", "27 4834-7824"],
    ["Her direct line: 0815 901 39 62", "phone number", "0815 901 39 62"],
    ["She left a voicemail from 2675-1125 yesterday.", "phone number", "2675-1125"],
    ["3850486843 is my mother's landline", "phone number", "3850486843"],
    ["Sie erreichen ihn unter 0549823075.", "phone number", "0549823075"],
    ["Son numéro est le 737 157 712.", "phone number", "737 157 712"],
    ["Contact details:\n- Name: Jo\n- Number: 0549922352", "phone number", "0549922352"],
    ["電話は 03-1234-5678 です", "phone number", "03-1234-5678"],
    ["this card 123456789012345 is stuck in the ATM", "card number", "123456789012345"],
    ["Please charge 1361 3412 5242 7316 for it", "card number", "1361 3412 5242 7316"],
    ["is this your card? 2486 1114 8936 4390", "card number", "2486 1114 8936 4390"],
    ["paid with 0410423468535606 (credit card)", "card number", "0410423468535606"],
    ["Date of birth: 14/03/1986", "date of birth", "14/03/1986"],
    ["She was born on March 14, 1986 in Lyon", "date of birth", "March 14, 1986"],
    ["Geboren am 14. März 1986", "date of birth", "14. März 1986"],
    ["生年月日：1986年3月14日", "date of birth", "1986年3月14日"],
    ["passport number X1234567", "document number", "X1234567"],
    ["her driver's license is D123-4567-8901", "document number", "D123-4567-8901"],
    ["bank account number 000123456789", "account number", "000123456789"],
    ["Website: https://www.anna-lind.example/", "website", "https://www.anna-lind.example/"],
  ])("%s", (text, kind, value) => {
    expect(found(text)).toEqual([[kind, value]]);
  });

  test("finds several in one text, in order", () => {
    expect(found("Ann, ann@x.org, 212-555-0147 or 212-555-0148, card 4111111111111111")).toEqual([
      ["e-mail address", "ann@x.org"],
      ["phone number", "212-555-0147"],
      ["phone number", "212-555-0148"],
      ["card number", "4111111111111111"],
    ]);
  });

  test("normalises all spellings of a number to one value", () => {
    const values = ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111"].map(
      (card) => findPersonalData(`card ${card}`)[0]?.value,
    );
    expect(values).toEqual(["4111111111111111", "4111111111111111", "4111111111111111"]);
  });

  test("keeps positions in long texts", () => {
    const text = `${"A sentence without anything to find. ".repeat(100)}Mail ann@x.org or call 212-555-0147.${" And more prose.".repeat(100)} 4111111111111111`;
    expect(found(text).map(([, value]) => value)).toEqual(["ann@x.org", "212-555-0147", "4111111111111111"]);
  });
});

describe("near misses", () => {
  test.each([
    "It cost 78 651 450 for the office",
    "My gift card 123456789012 is empty",
    "Seasons 1675 - 1725",
    "Order 123456789012 was paid by credit card",
    "86400000 is his order number",
    "Line: 02686563551",
    "Your ticket 3850486843 is at the office: 12",
    "The parcel 4111111111111112 has a wrong check digit.",
    "IBAN DE89370400440532013001",
    "Order #4670039505 was delivered on 2024-05-17 14:00:00.",
    "Your tracking number is 9400 1000 0000 0000 0000 00.",
    "ISBN 978-3-16-148410-0",
    "Version 10.15.7.1 of the driver",
    "It costs 1.234.567 or $212-555-0147",
    "Seasons 2019-2020 and 1999/2000",
    "const ratio = 11.579999999999927",
    "commit 4f111111111111111a and id 550e8400-e29b-41d4-a716-446655440000",
    "The import @scope/package and logo@2x.png, git@github.com:a/b.git",
    "At 12:30:45 it took 00:01:02",
    "payment method credit_card_4111111111111111",
    "Unix time 1700000000 and 1700000000000",
    "He earned 100 000 000 in 12 345 678 steps",
    "std::vector<int> a::b",
    "The 2020-12-31 2021-01-31 window",
    "Table 3.4.5.6 lists 1, 2, 3, 4, 5, 6, 7, 8",
    "Flight HAT123 costs 1234 5678 points",
    "Die Artikelnummer 12345678 ist vergriffen",
  ])("%s", (text) => {
    expect(found(text)).toEqual([]);
  });
});
