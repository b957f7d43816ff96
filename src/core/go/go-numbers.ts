/**
 * Numbers in texts as Go's strconv and Harvester's StrictAtoi read them.
 *
 * @see https://pkg.go.dev/strconv
 */
export type GoNumber = { readonly number: number } | { readonly error: string };

/**
 * An integer without leading zeros and plus sign.
 *
 * @see harvester/harvester:pkg/webhook/util/string.go StrictAtoi
 */
export function strictAtoi(text: string): GoNumber {
  if (text.length > 1) {
    if (text.startsWith('0') || text.startsWith('-0')) { return { error: `leading zero in input: ${text}` }; }
    if (text.startsWith('+')) { return { error: `no allowed symbol in input: ${text}` }; }
  }
  return atoi(text);
}

/** `strconv.Atoi`: 64 bits, a sign and leading zeros are fine. */
export function atoi(text: string): GoNumber {
  if (!/^[-+]?[0-9]+$/.test(text)) { return { error: `strconv.Atoi: parsing ${quote(text)}: invalid syntax` }; }
  return fits(BigInt(text.replace(/^\+/, '')), 64, true) ? { number: Number(text) } : { error: `strconv.Atoi: parsing ${quote(text)}: value out of range` };
}

/** `strconv.ParseUint(text, 10, 32)`: digits only. */
export function parseUint32(text: string): GoNumber {
  if (!/^[0-9]+$/.test(text)) { return { error: `strconv.ParseUint: parsing ${quote(text)}: invalid syntax` }; }
  return fits(BigInt(text), 32, false) ? { number: Number(text) } : { error: `strconv.ParseUint: parsing ${quote(text)}: value out of range` };
}

// underscores may stand between digits
const DIGITS = '[0-9]+(?:_[0-9]+)*';
const DECIMAL = new RegExp(`^[-+]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][-+]?${DIGITS})?$`);
const HEXADECIMAL = /^([-+]?)0[xX]_?([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?(?:\.((?:[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?))?[pP]([-+]?[0-9]+)$/;

/** `strconv.ParseFloat(text, 64)`, with its infinities, NaN and hexadecimal form. */
export function parseFloat64(text: string): GoNumber {
  if (/^[-+]?(inf|infinity)$/i.test(text)) { return { number: text.startsWith('-') ? -Infinity : Infinity }; }
  if (/^nan$/i.test(text)) { return { number: NaN }; }
  const number = DECIMAL.test(text) ? Number(text.replace(/_/g, '')) : hexadecimal(text);
  if (number === undefined) { return { error: `strconv.ParseFloat: parsing ${quote(text)}: invalid syntax` }; }
  return Number.isFinite(number) ? { number } : { error: `strconv.ParseFloat: parsing ${quote(text)}: value out of range` };
}

/** Whether an integer fits a type of Go's. */
export function fits(value: bigint, bits: number, signed: boolean): boolean {
  const limit = 2n ** BigInt(signed ? bits - 1 : bits);
  return value < limit && value >= (signed ? -limit : 0n);
}

function hexadecimal(text: string): number | undefined {
  const match = HEXADECIMAL.exec(text);
  if (!match) { return undefined; }
  const [, sign, whole = '', fraction = '', exponent] = match;
  const digits = (whole + fraction).replace(/_/g, '');
  if (digits === '') { return undefined; }
  const scale = Number(exponent) - 4 * fraction.replace(/_/g, '').length;
  return (sign === '-' ? -1 : 1) * Number(BigInt(`0x${digits}`)) * 2 ** scale;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
