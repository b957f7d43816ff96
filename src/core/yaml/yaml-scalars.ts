import { ScalarTag } from 'yaml';
import { BASE64 } from '../text/plain-text';

/**
 * A number that YAML 1.1 has with a fraction or an exponent.
 * @see yaml/go-yaml:resolve.go yamlStyleFloat, in v2.4.2
 */
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

/** The whole numbers with a prefix, by the base. */
const BASES: readonly (readonly [RegExp, number])[] = [
  [/^0[xX]([0-9a-fA-F]+)$/, 16],
  [/^0[bB]([01]+)$/, 2],
  [/^0[oO]?([0-7]+)$/, 8],
];

/**
 * The number that a text is without quotes, or the text: 0640, 0o640, 0x1F, 0b11, 1_000, 1e3; 12:30
 * is text.
 *
 * @see yaml/go-yaml:resolve.go resolve, in v2.4.2
 */
export function numberOrText(text: string): number | string {
  const plain = text.replaceAll('_', '');
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(plain) ?? [];
  for (const [form, base] of BASES) {
    const found = form.exec(digits);
    if (found) {
      const value = parseInt(found[1], base);
      return sign === '-' ? -value : value;
    }
  }
  const value = FLOAT.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(value) ? value : text;
}

/** Numbers, as kubectl reads them. */
export const NUMBER_TAG: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+.\d]*\d[\d_.a-fA-FxXoO+-]*$/,
  resolve: numberOrText,
};

const NO_NUMBER = 'is not a number';

/** Numbers with a tag that names the type, also in quotes. */
export const TAGGED_NUMBERS: readonly ScalarTag[] = ['int', 'float'].map((name) => ({
  tag: `tag:yaml.org,2002:${name}`,
  resolve(text, onError) {
    const value = numberOrText(text);
    if (typeof value !== 'number') {
      onError(NO_NUMBER);
    }
    return value;
  },
}));

/** Bytes, which Kubernetes takes for text. */
export const BINARY_TAG: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve(text, onError) {
    const base64 = text.replace(/[\r\n]/g, '');
    if (!BASE64.test(base64)) {
      onError('is not base64');
    }
    return Buffer.from(base64, 'base64').toString('utf8');
  },
};

/** Values that JSON lacks: kubectl refuses them. */
export const NOT_JSON_NUMBER = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;
