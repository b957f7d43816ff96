import { SecretContent } from './_cluster-secret';
import { SecretValue } from '../late';
import { TLS_TYPE } from '../model/guest-names';

/**
 * The certificate that nodes show a container registry: a Secret beside the Cluster on Rancher.
 */
export class RegistryTls {
  /**
   * A certificate and its key, both in PEM form: a Secret of type kubernetes.io/tls is made.
   */
  public static of(certificate: string, key: SecretValue): RegistryTls {
    return new RegistryTls({ type: TLS_TYPE, data: { 'tls.crt': certificate, 'tls.key': key } }, { certificate, key });
  }

  /**
   * A Secret of type kubernetes.io/tls that is there, in the namespace of the Cluster.
   */
  public static fromSecretName(name: string): RegistryTls {
    return new RegistryTls(name);
  }

  private constructor(
    /** @internal */
    public readonly _secret: SecretContent | string,
    /** @internal */
    public readonly _pair?: { readonly certificate: string; readonly key: SecretValue },
  ) {}
}
