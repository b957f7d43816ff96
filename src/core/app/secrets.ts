import { IConstruct } from 'constructs';
import { ISecretDelivery } from './delivery-step';
import { SecretDelivery } from '../../delivery/secret/secret-delivery';

const CHOICE = Symbol.for('cdk8s-harvester.SecretsChoice');

/**
 * How the secrets of a construct, of all constructs below it, and of what it wrote on other
 * clusters are kept in the output; the choice at the nearest construct wins. That of a chart is for
 * the objects on its cluster.
 *
 * Without a choice, secrets are kept as `HarvesterApp({ secrets })` declares. Each cluster has its
 * own certificate for sealed secrets, for example.
 *
 * @example
 * import { HarvesterApp, HarvesterChart, SecretDelivery, Secrets } from 'cdk8s-harvester';
 *
 * const app = new HarvesterApp();
 * const dc1 = new HarvesterChart(app, 'dc1', { version: '1.7.2', vip: '10.10.0.10' });
 * Secrets.of(dc1).deliver(SecretDelivery.externalSecrets({ store: 'vault' }));
 */
export class Secrets {
  /** The secrets of a construct and of all objects below it. */
  public static of(construct: IConstruct): Secrets {
    return new Secrets(construct);
  }

  /** The choice at a construct itself. @internal */
  public static _choiceAt(construct: IConstruct): ISecretDelivery | undefined {
    return (construct as { [CHOICE]?: ISecretDelivery })[CHOICE];
  }

  private constructor(private readonly construct: IConstruct) {}

  /**
   * Keeps the secrets in this way.
   *
   * @param secrets one of the factories of `SecretDelivery`
   */
  public deliver(secrets: SecretDelivery): void {
    Object.defineProperty(this.construct, CHOICE, { value: secrets, configurable: true });
  }
}
