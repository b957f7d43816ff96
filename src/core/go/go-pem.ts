import { X509Certificate } from 'crypto';

/** A PEM block: its label and its bytes. */
export interface PemBlock {
  readonly type: string;
  readonly der: Buffer;
}

/** The blocks up to the end, or up to an error. */
export interface PemResult {
  readonly blocks: readonly PemBlock[];
  readonly error?: string;
}

const BLOCK = /(?:^|\n)-----BEGIN ([^\n]*?)-----[ \t\r]*\n((?:[^\n:]+:[^\n]*\n)*\n?)([A-Za-z0-9+/=\s]*?)\n?-----END \1-----[ \t\r]*(?=\n|$)/;

/**
 * The blocks of a bundle as Harvester walks over them: what is no block between, before and after them is skipped.
 *
 * @see harvester/harvester:pkg/util/tls/tls.go
 */
export function pemBlocksOf(text: string): PemResult {
  const blocks: PemBlock[] = [];
  for (let rest = text; hasHeader(rest);) {
    const match = nextBlock(rest);
    if (!match) { return { error: 'failed to parse PEM block', blocks }; }
    blocks.push({ type: match[1]!, der: Buffer.from(match[3]!, 'base64') });
    rest = rest.slice(match.index + match[0].length);
  }
  return { blocks };
}

// a block that is broken is skipped as long as a good one follows
function nextBlock(text: string): RegExpExecArray | undefined {
  const blocks = new RegExp(BLOCK, 'g');
  for (let match = blocks.exec(text); match; match = blocks.exec(text)) {
    if (isBase64(match[3]!)) { return match; }
  }
  return undefined;
}

/** The certificates of a bundle that holds nothing else; undefined where it holds none or something else. */
export function certificatesOf(text: string): X509Certificate[] | undefined {
  const result = pemBlocksOf(text);
  if (result.error !== undefined || result.blocks.length === 0) { return undefined; }
  try {
    return result.blocks.map(({ type, der }) => {
      if (type !== CERTIFICATE) { throw new Error(`unexpected block type '${type}'`); }
      const certificate = new X509Certificate(der);
      // Go refuses what follows the certificate within its block
      if (certificate.raw.length !== der.length) { throw new Error('trailing data'); }
      return certificate;
    });
  } catch {
    return undefined;
  }
}

/** Whether a text is a bundle of certificates that can be read. */
export function parsesAsBundle(text: string): boolean {
  return certificatesOf(text) !== undefined;
}

/** The label of a certificate. */
export const CERTIFICATE = 'CERTIFICATE';

// a text without one counts as the end of the bundle, a broken one is an error
function hasHeader(text: string): boolean {
  const start = text.indexOf('-----BEGIN');
  if (start < 0) { return false; }
  const end = text.slice(start + 10).indexOf('-----');
  return end >= 0 && !text.slice(start, start + end).includes('\n');
}

function isBase64(text: string): boolean {
  const packed = text.replace(/\s/g, '');
  return packed.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(packed);
}
