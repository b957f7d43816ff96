import { X509Certificate, createPrivateKey } from 'crypto';
import { Problem } from './problem';
import { isLate } from '../late/late-token';
import { attempt } from '../text/values';

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+?-----END CERTIFICATE-----/g;

/** The certificates of a PEM bundle, each as its own text. */
export function pemBlocks(bundle: string): string[] {
  return bundle.match(PEM_BLOCK) ?? [];
}

/** Whether a text is a bundle of PEM certificates and nothing else. An absent bundle is fine. */
export function checkCertificates(path: string, bundle: string | undefined): Problem[] {
  if (bundle === undefined) {
    return [];
  }
  const fix =
    'give one or more certificates in PEM form, each from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(bundle)) {
    return [{ path, message: 'holds a private key', fix }];
  }
  const blocks = pemBlocks(bundle);
  if (blocks.length === 0) {
    return [{ path, message: 'must contain a certificate in PEM form', fix }];
  }
  return blocks.flatMap((block, index) =>
    attempt(() => new X509Certificate(block))
      ? []
      : [{ path, message: `certificate ${index + 1} of ${blocks.length} cannot be read`, fix }],
  );
}

/**
 * Whether a certificate and a key, both in PEM form, belong together, as an API server asks of a
 * Secret of type kubernetes.io/tls. It only warns, but who is shown such a certificate refuses it.
 * No problem shows the key.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/registry/core/secret/strategy.go warningsForSecret
 */
export function checkCertificatePair(path: string, certificate: string, key: string): Problem[] {
  if (isLate(certificate) || isLate(key)) {
    return [];
  }
  const problems = checkCertificates(`${path}.certificate`, certificate);
  if (problems.length > 0) {
    return problems;
  }
  const privateKey = attempt(() => createPrivateKey(key));
  if (!privateKey) {
    return [
      {
        path: `${path}.key`,
        message: 'must be a private key in PEM form without a passphrase',
        fix: 'set the private key of the certificate',
      },
    ];
  }
  if (new X509Certificate(pemBlocks(certificate)[0]).checkPrivateKey(privateKey)) {
    return [];
  }
  return [
    {
      path: `${path}.key`,
      message: 'is not the key of the certificate',
      fix: 'give the key that the first certificate was made for',
      says: 'tls: private key does not match public key',
    },
  ];
}
