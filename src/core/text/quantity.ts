const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/**
 * The number of a Kubernetes quantity, e.g. 0.5 for `500m`, 1024 for `1Ki`; undefined if the text is not a quantity.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantityOf(value: unknown): number | undefined {
  const match = typeof value === 'number' || typeof value === 'string' ? QUANTITY.exec(String(value)) : null;
  if (!match) { return undefined; }
  const [, sign, digits, suffix = ''] = match;
  const number = Number(digits) * (sign === '-' ? -1 : 1);
  if (BINARY.includes(suffix)) { return number * 1024 ** (BINARY.indexOf(suffix) + 1); }
  // by exponent and not by a factor: 1000m must be 1 and not almost 1
  const exponent = suffix in DECIMAL ? DECIMAL[suffix] : Number(suffix.slice(1) || 0);
  return Number(`${number}e${exponent}`);
}
