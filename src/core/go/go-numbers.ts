/**
 * Numbers in texts as Go's strconv reads them; undefined for a text that it refuses.
 *
 * @see https://pkg.go.dev/strconv
 */

/** An integer of 64 bits: a sign and leading zeros are allowed. */
export function atoi(text: string): number | undefined {
  if (!/^[-+]?\d+$/.test(text)) { return undefined; }
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= -(2n ** 63n) && value < 2n ** 63n ? Number(text) : undefined;
}

/** A number of 32 bits, in digits alone. */
export function parseUint32(text: string): number | undefined {
  return /^\d+$/.test(text) && Number(text) < 2 ** 32 ? Number(text) : undefined;
}

// underscores between digits are allowed
const DIGITS = '[0-9]+(?:_[0-9]+)*';
const DECIMAL = new RegExp(`^[-+]?(?:${DIGITS}(?:\\.(?:${DIGITS})?)?|\\.${DIGITS})(?:[eE][-+]?${DIGITS})?$`);
const HEXADECIMAL = /^([-+]?)0[xX]_?([0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?(?:\.((?:[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)?))?[pP]([-+]?[0-9]+)$/;

/** A number with a fraction, with infinities, NaN and the hexadecimal form. */
export function parseFloat64(text: string): number | undefined {
  if (/^[-+]?(inf|infinity)$/i.test(text)) { return text.startsWith('-') ? -Infinity : Infinity; }
  if (/^nan$/i.test(text)) { return NaN; }
  const number = DECIMAL.test(text) ? Number(text.replace(/_/g, '')) : hexadecimal(text);
  return Number.isFinite(number) ? number : undefined;
}

function hexadecimal(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent] = HEXADECIMAL.exec(text.replace(/_/g, '')) ?? [];
  if (!HEXADECIMAL.test(text) || whole + fraction === '') { return undefined; }
  return (sign === '-' ? -1 : 1) * Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
}
