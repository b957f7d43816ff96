import { X509Certificate } from 'crypto';
import { readFileSync } from 'fs';
import { SealScope } from '../../core/sealed-secret/sealed-secret';
import { checkCertificates, pemBlocks } from '../../core/text/certificates';

/**
 * Where the controller of Sealed Secrets decrypts a SealedSecret. A Secret with an annotation of Sealed Secrets for its scope keeps that scope.
 * @see https://github.com/bitnami-labs/sealed-secrets#scopes
 */
export enum SealedSecretScope {
  /** Under the same name, in the same namespace. */
  STRICT = 'strict',
  /** In the same namespace. */
  NAMESPACE_WIDE = 'namespace-wide',
  /** Anywhere in the cluster. */
  CLUSTER_WIDE = 'cluster-wide',
}

/** Properties of secrets that are sealed for the controller of Sealed Secrets. */
export interface SealedSecretsProps {
  /**
   * The certificate of the controller: the path of a file, or the certificate itself in PEM. `kubeseal --fetch-cert` prints it.
   *
   * Each cluster has its own: choose it for each target chart with `Secrets.of(chart).deliver(…)`.
   */
  readonly certificate: string;
  /** Where the controller decrypts the SealedSecrets. @default SealedSecretScope.STRICT */
  readonly scope?: SealedSecretScope;
  /** The program `kubeseal`. @default - `kubeseal`, found on the PATH */
  readonly program?: string;
}

/** The certificate in PEM. Throws if it cannot be right. */
export function certificateOf({ certificate, scope }: SealedSecretsProps): string {
  const fix = 'Fix: set it to a file with what `kubeseal --fetch-cert` prints';
  if (scope !== undefined && !(Object.values(SealedSecretScope) as SealScope[]).includes(scope)) {
    throw new Error(`SecretDelivery.sealedSecrets: scope must be one of ${Object.values(SealedSecretScope).join(', ')}, got ${JSON.stringify(scope)}. Fix: set one of them`);
  }
  let text = certificate;
  if (!certificate.includes('-----BEGIN')) {
    try {
      text = readFileSync(certificate, 'utf8');
    } catch (error) {
      throw new Error(`SecretDelivery.sealedSecrets: certificate ${certificate} cannot be read: ${(error as Error).message}. ${fix}`);
    }
  }
  const [problem] = checkCertificates('certificate', text);
  if (problem) { throw new Error(`SecretDelivery.sealedSecrets: certificate: ${problem.message}. ${fix}`); }
  const [first] = pemBlocks(text);
  const { asymmetricKeyType } = new X509Certificate(first).publicKey;
  if (asymmetricKeyType !== 'rsa') { throw new Error(`SecretDelivery.sealedSecrets: certificate must have an RSA key, got ${asymmetricKeyType}. ${fix}`); }
  return `${first}\n`;
}
