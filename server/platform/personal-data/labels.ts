/** Characters before a number in which its label is looked for, and after it ("… is my mobile"). */
const BEFORE = 60;
const AFTER = 40;

/** Words that indicate what a number is, in the languages that the detectors read. */
export const PHONE_LABEL =
  /\b(?:tele)?(?:phone|fono|fone)s?\b|\btel(?:\.|:|efon|éfono|éphone|efoon|efono|efone|efonnummer|efonnr)?\b|\b(?:hold of|speak to) \p{L}+\b|\bmobiles?\b|\bmobil(?:e|nummer|funk)?\b|\bhandy(?:nummer)?\b|\bm[óo]vil\b|\bcelular\b|\bportable\b|\bcell(?:ular|phone)?\b|\bfax\b|\bwhats ?app\b|\bsms\b|\bviber\b|\btext(?:ed|ing|s)?\b|\bcall(?:ed|ing|er|s)?\b|\bcallback\b|\bdial(?:ed|ing|led|ling)?\b|\brings?\b|\breach(?:ed|able)?\b|\bcontacts?\b|\bhotline\b|\bhelpline\b|\bmessages?\b|\bvoice ?mail\b|\bregistered\b|\bllam(?:a|ar|e|ame)\b|\bappele[rz]\b|\banrufen\b|\brufnummer\b|\brückruf\b|\b(?:my|his|her|their|your|our|new|old|home|work|office|emergency|cell|mobile|daytime|evening) (?:\w{1,12} )?(?:numbers?|no\.?|#)|\p{L}['’]s (?:\w{1,12} )?(?:number|line)\b|\bnumero\b|\bnuméro (?:est|de)\b|\berreichen\b|телефон|номер|电话|電話|手机|手機|携帯|전화|휴대폰|هاتف|फोन|фон/iu;
/** Where one is reached, in a list or a sentence: "Office: 78 651 450", "they're not answering at 416 60 039". */
export const LINE_LABEL =
  /(?:^|[\n,;|(])[ \t]*(?:(?:at )?(?:the )?(?:office|home|work|direct(?: line)?|main|t|m|p|switchboard|reception|landline|mob|ph|pager|emergency|daytime|evening))(?: \w{2,9})?\s?[:.\-–]?[ \t]*$|\b(?:answer(?:s|ed|ing)?|pick(?:s|ed|ing)? up|unavailable|available|rang|phoned|engaged|busy) (?:\w+ ){0,2}(?:at|on|from|under)\s*$/i;
/** The same after the number: "416 60 039 office", "78-651-450 (fax)". */
export const LINE_LABEL_AFTER =
  /^[ \t]{0,3}[(\-–,:]{0,2}[ \t]?(?:office|fax|mobile|mob|cell|home|work|direct|landline|phone|tel|whats ?app)\b\.?[ \t]*(?=[\n,;:.)|/]|$|(?:and|or)\b)/i;
/** Words right before or after digits that make them a payment card's, whatever the digits are. */
export const CLOSE_CARD_LABEL =
  /\b(?<!(?:gift|loyalty|sim|library|membership|member|reward|rewards|boarding|report|business|identity|id|insurance|store|travel|transit|bus|train|key|access|graphics|video|memory|sd|index|score|health|green)[- ])(?:(?:credit|debit|bank|visa|mastercard|master ?card|amex|maestro|payment)[- ]?)?(?:cards?|ccn?|kreditkarte|kartennummer|carte (?:bancaire|bleue|de crédit)|tarjeta|carta di credito|cart[aã]o)(?:[- ]?(?:numbers?|num|no\.?|nr\.?|#))?(?:[^.!?\n\d]{0,16}|\?\s{1,2})$|\bcharged? (?:it |this )?(?:to |on )?$|\b(?:visa|mastercard|master ?card|amex|maestro)\b[^.!?\n\d]{0,12}$/i;
export const CLOSE_CARD_LABEL_AFTER =
  /^\s{0,2}(?:,? (?:is|was|as) )?(?:\(?(?:my|his|her|their|the|this|a|our) )?(?:new |old |lost |stolen )?(?:credit|debit|bank|visa|mastercard|amex|payment)[- ]?cards?\b|^\s?\((?:credit|debit|bank|visa|mastercard|amex|payment)[- ]?cards?\b/i;
/** Labels under which digits without separators count as a phone number. */
export const CLOSE_PHONE_LABEL =
  /(?:\b(?:tele)?(?:phone|fono|fone)|\btel(?:\.|:|efon|éfono|éphone)?\b|\bmobiles?|\bmobil(?:nummer)?|\bhandy(?:nummer)?|\bm[óo]vil|\bcelular|\bcell|\bfax|\bwhats ?app|\bcall(?:ing)?(?: me)?(?: back)?(?: at| on)?|\btext(?:ing)?(?: me)?(?: at| on)?|\bdial|\breach(?:ed)?(?: me| him| her| them)?(?: at| on| under)|\b(?:hold of|speak to) \w+ (?:at|on)|\bcontacts?|\bvoice ?mail from|\bunter|\berreich\w+|\bnuméro (?:est|de)|\bmessages? to|\bregistered(?: number)?|\b(?:my|his|her|their|(?:\w['’]s)) (?:new |old |home |work |office |private |personal |direct )?(?:number|line)|\bcontact\b[\s\S]{0,50}\bnumber|телефон|电话|電話|手机|携帯|전화)\b.{0,24}$/is;
/** Labels of other things that such digits may identify. */
export const OTHER_NUMBER =
  /\b(?:orders?|invoices?|tracking|tickets?|reference|ref|case|confirmation|flights?|serial|model|parts?|rooms?|policy|claims?|bookings?|reservations?|pnr|isbn|issn|imei|sku|upc|ean|vin|asin|doi|products?|items?|transactions?|timestamp|version|build|zip|postal|code|pin|otp|id|ids|uuid|(?<!\b(?:direct|private|phone|land|office) )line|page|chapter|section|article|lot|batch|bill|meter|amount|total|price|usd|eur|gbp)\b(?:[ _-]?(?:numbers?|num|no\.?|nr\.?|id|code|#))?["']?\s{0,2}(?:is|was|:|=|#)?\s{0,2}["'#(]?$/i;
export const CARD_LABEL =
  /\b(?:cards?|credit|debit|visa|master ?card|maestro|amex|american express|discover|diners|jcb|cc|ccn|payments?|karte|kreditkarte|kartennummer|carte|tarjeta|cart[aã]o|carta|kort|kaart|карт\w{0,3})\b|カード|信用卡|银行卡|카드/i;
export const DOB_LABEL =
  /\b(?:d\.?o\.?b\.?|dates? of birth|birth ?dates?|birth ?days?|born(?: on)?|geburtsdatum|geboren(?: am)?|geburtstag|née? le|date de naissance|fecha de nacimiento|nacid[oa](?: el)?|data di nascita|nat[oa] il|data de nascimento|geboortedatum|data urodzenia)\b|дата рождения|生年月日|出生日期|생년월일/gi;
export const DOCUMENT_LABEL =
  /\b(?:passport|reisepass|passeport|pasaporte|passaporto|driver['’]?s? licen[cs]e|driving licen[cs]e|driver id|licen[cs]e (?:number|no\.?|#)|führerschein|permis de conduire|dl ?(?:number|no\.?|#)|identity card|id card|personalausweis|national id(?:entity)?|green card|visa number|medical record|mrn|patient id|health insurance (?:number|card))\b|护照|パスポート|運転免許/gi;
export const ACCOUNT_LABEL =
  /\b(?:(?:bank |checking |savings |current )?account (?:number|no\.?|num|#)|acct\.? ?(?:number|no\.?|#)?|a\/c(?: no\.?| number)?|routing (?:number|no\.?)|sort code|kontonummer|numéro de compte|número de cuenta)\b|账号|口座番号/gi;
export const WEBSITE_LABEL =
  /\b(?:(?:my |personal |your |their |his |her )?(?:web ?site|web ?page|home ?page|blog|portfolio)|site web|página web|sitio web)\b/gi;

export const textBefore = (text: string, start: number, characters = BEFORE) =>
  text.slice(Math.max(0, start - characters), start);
export const textAfter = (text: string, end: number) => text.slice(end, end + AFTER);
