const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 base32 in lower case without padding: letters and digits only, so that the result is valid in a name. */
export function base32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) { bits += byte.toString(2).padStart(8, '0'); }
  return (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[parseInt(five, 2)]).join('');
}
