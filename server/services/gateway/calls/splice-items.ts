import { afterSpace, afterValue, fieldsIn, spliceFields } from "./splice-fields";

const [COMMA, OPEN_LIST, CLOSE_LIST] = [...",[]"].map((one) => one.charCodeAt(0));

type Change = (item: Buffer, index: number) => Buffer;

/** Returns the text of a valid JSON list with its items changed; those that a change returns as they are keep their bytes. */
export function spliceItems(list: Buffer, change: Change, inFront: string | null = null): Buffer {
  const begin = list.indexOf(OPEN_LIST as number) + 1;
  const parts = [list.subarray(0, begin)];
  let at = afterSpace(list, begin);
  if (inFront !== null) parts.push(Buffer.from(list[at] === CLOSE_LIST ? inFront : `${inFront},`));
  let copied = begin;
  for (let index = 0; at < list.length && list[at] !== CLOSE_LIST; index++) {
    const end = afterValue(list, at);
    parts.push(list.subarray(copied, at), change(list.subarray(at, end), index));
    copied = end;
    at = afterSpace(list, end);
    if (list[at] === COMMA) at = afterSpace(list, at + 1);
  }
  return Buffer.concat([...parts, list.subarray(copied)]);
}

/** Returns the text of a field's value; of one that is repeated, the last, which counts. */
export function valueIn(json: Buffer, name: string): Buffer | null {
  const field = fieldsIn(json).findLast((one) => one.name === name);
  return field ? json.subarray(field.from, field.to) : null;
}

/** Returns the text of a JSON object with the items of the list in one of its fields changed. */
export function spliceList(json: Buffer, name: string, change: Change, inFront: string | null = null): Buffer {
  const list = valueIn(json, name);
  return list === null ? json : spliceFields(json, { [name]: spliceItems(list, change, inFront) });
}
