import { SecretHiding } from './hiding';
import { SopsHiding } from './sops-hiding';
import { SopsSecretsProps, checkSopsProps } from './sops-props';
import { DeliveredOutput, HiddenOutput, ISecretDelivery, PlainOutput } from '../../core/app/delivery-step';
import { undelivered } from '../output/undelivered';

/**
 * How secrets are kept in the output, which is made to be committed to Git.
 *
 * It applies to all Secrets, and to the fields of other objects that contain a secret: the Harvester setting with the registration URL, registry
 * credentials, passwords, user data. Names, labels, annotations and types remain readable.
 *
 * @example
 * import { HarvesterApp, SecretDelivery } from 'cdk8s-harvester';
 *
 * const app = new HarvesterApp({
 *   secrets: SecretDelivery.sops({ recipients: ['age1qyyappls469vacyphhuhw3m02mpjxqglxwr6gr40k67tpvfwr5dqw2vdh3'] }),
 * });
 */
export class SecretDelivery implements ISecretDelivery {
  /** Secrets are in plain text in the output: keep it out of Git, or encrypt it yourself. */
  public static plainText(): SecretDelivery {
    return new SecretDelivery();
  }

  /**
   * SOPS: each object with secrets is in a file of its own, `….sops.yaml`, whose secrets are encrypted by the program `sops` with age keys.
   *
   * Flux decrypts the files. Unchanged secrets keep the bytes of their file if synthesis finds the private key, as sops does
   * (`SOPS_AGE_KEY_FILE`), or the environment variable `CDK8S_HARVESTER_DIGEST_KEY`. Needs sops 3.11 or later.
   */
  public static sops(props: SopsSecretsProps): SecretDelivery {
    checkSopsProps(props);
    return new SecretDelivery(new SopsHiding(props));
  }

  private constructor(private readonly hiding?: SecretHiding) {}

  /** @internal */
  public _hide(output: PlainOutput): HiddenOutput | undefined {
    return this.hiding?.hide(output);
  }

  /** @internal */
  public _undelivered(output: PlainOutput): DeliveredOutput {
    return undelivered(output);
  }
}
