import { X509Certificate } from 'crypto';
import { Problem } from '../problem';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle, each as its own text. */
export function pemBlocks(bundle: string): string[] {
  return bundle.match(PEM_BLOCK) ?? [];
}

/**
 * Whether a text is a bundle of PEM certificates and nothing else. An absent bundle is fine.
 */
export function checkCertificates(path: string, bundle: string | undefined): Problem[] {
  if (bundle === undefined) { return []; }
  const fix = 'give one or more certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(bundle)) { return [{ path, message: 'holds a private key', fix }]; }
  const blocks = pemBlocks(bundle);
  if (blocks.length === 0) { return [{ path, message: 'holds no certificate', fix }]; }
  return blocks.flatMap((block, index) => {
    try {
      new X509Certificate(block);
      return [];
    } catch {
      return [{ path, message: `certificate ${index + 1} of ${blocks.length} can not be read`, fix }];
    }
  });
}
