import { X509Certificate } from 'crypto';

/**
 * A PEM block: its label and its bytes. Node reads one certificate of a text, and no library reports
 * which blocks Go would skip.
 */
export interface PemBlock {
  readonly type: string;
  readonly der: Buffer;
}

/** The blocks of a text. */
interface PemResult {
  readonly blocks: readonly PemBlock[];
  /** Whether a block follows that cannot be read. */
  readonly broken: boolean;
}

/** The label of a certificate. */
export const CERTIFICATE = 'CERTIFICATE';

const BLOCK =
  /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n((?:[^\n:]+:[^\n]*\n)*\n?)([A-Za-z0-9+/=\s]*?)\n?-----END \1-----[ \t\r]*(?=\n|$)/g;

/**
 * The blocks of a bundle as Harvester walks over them: text between, before and after them is
 * skipped, and a broken block where a good one follows.
 *
 * @see harvester/harvester:pkg/util/tls/tls.go
 */
export function pemBlocksOf(text: string): PemResult {
  const good = [...text.matchAll(BLOCK)].filter(([, , , base64]) => isBase64(base64!));
  const last = good.at(-1);
  const rest = last ? text.slice(last.index + last[0].length) : text;
  return {
    blocks: good.map(([, type, , base64]) => ({
      type: type!,
      der: Buffer.from(base64!, 'base64'),
    })),
    broken: hasHeader(rest),
  };
}

/**
 * The certificates of a bundle that holds nothing else; undefined where it has none or something
 * else.
 */
export function certificatesOf(text: string): X509Certificate[] | undefined {
  const { blocks, broken } = pemBlocksOf(text);
  if (broken || blocks.length === 0 || blocks.some(({ type }) => type !== CERTIFICATE)) {
    return undefined;
  }
  try {
    const certificates = blocks.map(({ der }) => new X509Certificate(der));
    // Go refuses bytes after the certificate within its block
    return certificates.every(({ raw }, index) => raw.length === blocks[index]!.der.length)
      ? certificates
      : undefined;
  } catch {
    return undefined;
  }
}

// a text without one is the end of the bundle, a broken one is an error
function hasHeader(text: string): boolean {
  const start = text.indexOf('-----BEGIN');
  return start >= 0 && /^-----BEGIN[^\n]*?-----/.test(text.slice(start));
}

function isBase64(text: string): boolean {
  const packed = text.replace(/\s/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed);
}
