import { createPrivateKey, KeyObject, X509Certificate } from 'crypto';
import { checkCertificates, pemBlocks } from './certificates';
import { isLate } from '../late-token';
import { Problem } from '../problem';

/**
 * Whether a certificate and a key, both in PEM form, belong together, as an API server asks of a Secret of type kubernetes.io/tls. It only warns,
 * but who is shown such a certificate refuses it. No problem shows the key.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.34.4/pkg/registry/core/secret/strategy.go warningsForSecret
 */
export function checkCertificatePair(path: string, certificate: string, key: string): Problem[] {
  if (isLate(certificate) || isLate(key)) { return []; }
  const problems = checkCertificates(`${path}.certificate`, certificate);
  if (problems.length > 0) { return problems; }
  const privateKey = readKey(key);
  if (!privateKey) { return [{ path: `${path}.key`, message: 'is no private key', fix: 'give a private key in PEM form, without a passphrase' }]; }
  if (new X509Certificate(pemBlocks(certificate)[0]).checkPrivateKey(privateKey)) { return []; }
  return [{ path: `${path}.key`, message: 'is not the key of the certificate', fix: 'give the key that the first certificate was made for', says: 'tls: private key does not match public key' }];
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
